interface Order {
  id: string;
  email: string;
  items: { sku: string; count: number }[];
}

interface StockResponse {
  status: number;
  body: { id: string };
}

// Runs after an order is stored, and again if it fails (`retry` in confirm-order.json), so each step can be repeated: the stock
// service recognizes a repeated reservation by its idempotency key, and the update stores the same once more.
export default async (event: { document: Order }, ctx: any) => {
  const order = event.document;
  const response: StockResponse = await ctx.integrations.call("stock", "post", {
    path: "/reservations",
    headers: { "idempotency-key": order.id },
    body: { items: order.items },
  });
  // Any other status ends the run with an error, which the function's log shows; it is tried again.
  if (response.status !== 201 && response.status !== 409) throw new Error(`stock service responded ${response.status}`);
  const reserved = response.status === 201;
  await ctx.db.updateMany(
    "orders",
    { id: order.id },
    { $set: reserved ? { status: "reserved", reservation: response.body.id } : { status: "refused" } },
  );
  await ctx.integrations.call("mail", "send", {
    to: order.email,
    subject: `Your order ${order.id}`,
    text: reserved ? "Thank you! It is on its way." : "We are sorry: some of it is sold out.",
  });
};
