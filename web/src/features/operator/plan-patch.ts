import type { Plan, PlanPatch } from "manybase/control";
import type { Values } from "../../components/form/form";
import { FormProblem } from "../../components/form/form-problem";
import type { Change } from "../../components/form/review";
import { limitNames } from "../../components/limits/limits";
import { formatMoney, parseAmount } from "../../lib/money";
import { operatorMessages } from "../../messages/operator";
import { limitChanges, limitsOf } from "./limits";

const words = operatorMessages.plans;

/** What the values of the form change of a plan, with each change before and after. Throws a problem at a field. */
export function planPatchOf(plan: Plan, values: Values): { patch: PlanPatch; changes: Change[] } {
  const patch: PlanPatch = {};
  const changes: Change[] = [];
  const name = values["name"]?.trim() ?? "";
  if (name !== plan.name) {
    patch.name = name;
    changes.push({ label: words.name, before: plan.name, after: name });
  }
  const price = parseAmount(values["priceUsdMonthly"] ?? "");
  if (price === undefined) throw new FormProblem("priceUsdMonthly", operatorMessages.amount);
  if (price !== plan.priceUsdMonthly) {
    patch.priceUsdMonthly = price;
    changes.push({ label: words.price, before: formatMoney(plan.priceUsdMonthly, "USD"), after: formatMoney(price, "USD") });
  }
  const given = limitsOf(values);
  // An empty field stays as it is.
  const limits = Object.fromEntries(
    limitNames.filter((one) => given[one] !== undefined && given[one] !== plan.limits[one]).map((one) => [one, given[one]]),
  );
  if (Object.keys(limits).length > 0) {
    patch.limits = limits;
    changes.push(...limitChanges(plan.limits, { ...plan.limits, ...limits }, plan.limits));
  }
  const grandfather = values["grandfather"] === "on";
  if (grandfather !== (plan.grandfather ?? false)) {
    patch.grandfather = grandfather;
    const text = (on?: boolean) => (on ? words.yes : words.no);
    changes.push({ label: words.grandfather, before: text(plan.grandfather), after: text(grandfather) });
  }
  return { patch, changes };
}
