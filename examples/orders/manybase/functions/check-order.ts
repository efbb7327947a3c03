interface Item {
  sku: string;
  count: number;
}

// Before an order is stored: it has items, and is new, whatever else the buyer says of it.
export default (event: { document: { email: string; items: Item[] } }) => {
  const { email, items } = event.document;
  if (items.length === 0) return { abort: true, reason: "an order needs items" };
  return { document: { email, items, status: "new" } };
};
