// The texts of the examples that a new project can begin with.

export const exampleMessages = {
  start: "It begins",
  empty: "Empty",
  emptyHint: "Collections, policies and functions are yours to make.",
  names: { blog: "Blog", teams: "Teams", orders: "Orders" },
  about: {
    blog: "Posts with drafts, comments that authors approve, images; policies for visitors, readers and authors.",
    teams: "A task tracker: teams with owners, editors and viewers, invitations by link, comments, files, activity.",
    orders: "Orders that functions check and confirm, calls of a stock service and of a mail server, variables for their addresses.",
  },
  option: (name: string) => `With the example ${name}`,
  reading: "The example is read…",
  variables: "Values of its variables",
  variablesText: "Each may be set later. What needs one that is missing fails until then.",
  secret: "It is sealed and not shown again.",
  made: (project: string) => `The project ${project} is created; the example is not in it yet.`,
  fill: "Add the example",
  calls: { create: "Create a project", fill: "Add an example, which is a configuration" },
  home: {
    title: (name: string) => `From the example ${name}`,
    text: "What the project has of it. All of it is yours to change.",
    nothing: "The project has nothing of it.",
    missing: "These variables have no value yet, so what needs them fails:",
    close: "Close",
  },
};
