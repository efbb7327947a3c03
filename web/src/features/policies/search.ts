import { oneOf, text, type Search } from "../../app/search";
import type { TextName } from "./draft";
import { isRuleName } from "./model/rule-names";

const views = ["rules", "tests", "sets"] as const;
export type PolicyView = (typeof views)[number];

/** What the address of a policy holds. */
export interface PolicySearch {
  view?: PolicyView;
  rule?: TextName;
  /** The document that is asked about: who can see it. */
  document?: string;
}

/** The valid part of an address. */
export function policySearch({ view, rule, document }: Search): PolicySearch {
  return {
    view: oneOf(view, ...views),
    ...((rule === "whole" || isRuleName(rule)) && { rule }),
    document: text(document),
  };
}
