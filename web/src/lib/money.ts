/** "$25.00" or "€0.000123": an amount of a currency (ISO 4217), exact to a millionth of it. */
export const formatMoney = (amount: number, currency: string): string =>
  new Intl.NumberFormat("en", { style: "currency", currency, minimumFractionDigits: 2, maximumFractionDigits: 6 }).format(amount);

/** An amount as the server has it: to a millionth. */
export const roundMoney = (amount: number): number => Math.round(amount * 1e6) / 1e6;

/** The number of "12.5" or "1,000"; undefined where the text is not a number from 0 on. */
export function parseAmount(text: string): number | undefined {
  const digits = text.trim().replaceAll(",", "");
  return /^\d+(\.\d+)?$/.test(digits) ? Number(digits) : undefined;
}

/** An amount as `parseAmount` reads it, exactly. */
export const amountText = (amount: number): string => amount.toLocaleString("en", { useGrouping: false, maximumFractionDigits: 20 });
