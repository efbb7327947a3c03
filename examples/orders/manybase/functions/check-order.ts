interface Item {
  sku: string;
  count: number;
}

// Runs before an order is stored: refuses an order without items, and sets the status, whatever the buyer sent.
export default (event: { document: { email: string; items: Item[] } }) => {
  const { email, items } = event.document;
  if (items.length === 0) return { abort: true, reason: "an order needs items" };
  return { document: { email, items, status: "new" } };
};
