interface Order {
  id: string;
  email: string;
  items: { sku: string; count: number }[];
}

interface Answer {
  status: number;
  body: { id: string };
}

// After it is stored, and maybe more than once: the stock knows a reservation again by its key.
export default async (event: { document: Order }, ctx: any) => {
  const order = event.document;
  const answer: Answer = await ctx.integrations.call("stock", "post", {
    path: "/reservations",
    headers: { "idempotency-key": order.id },
    body: { items: order.items },
  });
  // Anything else ends the run as an error, which the function's log shows; it is not run again.
  if (answer.status !== 201 && answer.status !== 409) throw new Error(`the stock answered ${answer.status}`);
  const reserved = answer.status === 201;
  await ctx.db.updateMany(
    "orders",
    { id: order.id },
    { $set: reserved ? { status: "reserved", reservation: answer.body.id } : { status: "refused" } },
  );
  await ctx.integrations.call("mail", "send", {
    to: order.email,
    subject: `Your order ${order.id}`,
    text: reserved ? "Thank you! It is on its way." : "We are sorry: some of it is sold out.",
  });
};
