// Anybody who knows an order's id may ask how it is doing, and is told nothing else.
export default async (event: { params: { id: string } }, ctx: any) => {
  const order = await ctx.db.findOne("orders", { id: event.params.id });
  return order ? { body: { status: order.status } } : { status: 404, body: { error: "no such order" } };
};
