// The examples that a new project can begin with: folders of examples/ with a configuration.
export const exampleNames = ["blog", "teams", "orders"] as const;
export type ExampleName = (typeof exampleNames)[number];

/** The example that a part of an address names. */
export const exampleNamed = (name: unknown): ExampleName | undefined => exampleNames.find((one) => one === name);
