import { Link } from "@tanstack/react-router";
import type { PolicyTrialResult } from "manybase/admin";
import type { Project } from "manybase/control";
import { useState } from "react";
import { EmptyState } from "../../components/states/empty-state";
import { Button, buttonClass } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { policiesMessages } from "../../messages/policies";
import { defaultPolicy } from "./data";
import type { TextName } from "./draft";
import type { JsonObject } from "./model/json";
import type { TrialForm } from "./model/trial";
import { PolicyEditor } from "./policy-editor";
import styles from "./policies.module.css";
import type { Permission } from "./rights";

const words = policiesMessages;

interface SourcedPolicyProps {
  project: Project;
  collection: string;
  may: Permission;
  saved: JsonObject;
  source: "own" | "inherited" | "default";
  rule: TextName;
  onOpen(rule: TextName): void;
  trial: TrialForm;
  onTrial(form: TrialForm): void;
  onKeep?(form: TrialForm, result: PolicyTrialResult): void;
}

/** The editor of a policy; before there is one, what that means and how to begin. */
export function SourcedPolicy({ project, source, ...rest }: SourcedPolicyProps) {
  const { collection, may } = rest;
  const [begun, setBegun] = useState<"templates" | "empty">();
  const manages = may("policies:manage");
  if (source === "default" && !begun) {
    return (
      <EmptyState
        title={collection === defaultPolicy ? words.closed.titleDefault : words.closed.title}
        action={
          manages && (
            <span className={styles["buttons"]}>
              <Button look="primary" onClick={() => setBegun("templates")}>
                {words.closed.action}
              </Button>
              <Button onClick={() => setBegun("empty")}>{words.closed.empty}</Button>
            </span>
          )
        }
      >
        {collection === defaultPolicy ? words.closed.textDefault : words.closed.text}
      </EmptyState>
    );
  }
  const inherited = source === "inherited" && !begun;
  return (
    <>
      {inherited && (
        <Panel title={words.inherited.title}>
          <PanelBody>
            <p>{words.inherited.text}</p>
            <p className={styles["buttons"]}>
              {manages && <Button onClick={() => setBegun("empty")}>{words.inherited.own}</Button>}
              <Link to="/p/$slug/policies" params={{ slug: project.slug }} className={buttonClass({})}>
                {words.inherited.openDefault}
              </Link>
            </p>
          </PanelBody>
        </Panel>
      )}
      <PolicyEditor
        {...rest}
        key={source === "own" || begun ? "own" : source}
        projectId={project.id}
        may={inherited ? (needed) => needed !== "policies:manage" && may(needed) : may}
        own={source === "own"}
        startOpen={begun === "templates"}
        onRemoved={() => setBegun(undefined)}
      />
    </>
  );
}
