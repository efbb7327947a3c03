// The texts of the configuration of a project.
export const configurationMessages = {
  title: "Configuration",
  text: "Collections with their schemas and policies, roles, functions, webhooks and the like, as one document: no data, no secrets.",
  tabs: { label: "Parts of the configuration", export: "Export", import: "Import" },
  export: {
    document: "The configuration as JSON",
    download: "Download",
    copy: "Copy the configuration",
    refresh: "Read again",
  },
  import: {
    title: "Document",
    keeps: "Nothing is deleted by an import: what the document does not name stays as it is.",
    text: "Drop a file here, or paste an exported configuration.",
    choose: "Choose a file",
    plan: "Plan the import",
    replan: "Plan again",
    edited: "The document has changed since the plan.",
    apply: "Apply the plan",
    done: "The configuration is imported.",
    notJson: (why: string) => `This is not JSON: ${why}`,
    notObject: "A configuration is an object: { … }",
    tooLarge: "The file is larger than 16 MiB.",
    notText: "The file is not a text.",
  },
  calls: { export: "Export", plan: "Plan an import", apply: "Import" },
};
