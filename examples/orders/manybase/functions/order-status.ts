// Returns only the status of an order, to any client that knows its id.
export default async (event: { params: { id: string } }, ctx: any) => {
  const order = await ctx.db.findOne("orders", { id: event.params.id });
  return order ? { body: { status: order.status } } : { status: 404, body: { error: "no such order" } };
};
