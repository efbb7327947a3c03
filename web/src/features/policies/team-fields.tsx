import { useQuery } from "@tanstack/react-query";
import type { PolicySet } from "manybase/admin";
import { useState } from "react";
import { FormProblem, type Values } from "../../components/form/form";
import { TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { policiesMessages } from "../../messages/policies";
import { collectionNamesOf } from "./data";
import { saveSet } from "./save-set";
import type { TeamAnswers } from "./model/templates";
import type { Permission } from "./rights";

const words = policiesMessages.templates;

interface TeamFieldsProps {
  projectId: string;
  may: Permission;
  fields: readonly string[];
  fieldsId: string;
  sets: readonly PolicySet[];
}

const another = "";

/** What the template for teams needs to know: where the team of a document is, and who is in it. */
export function TeamFields({ projectId, may, fields, fieldsId, sets }: TeamFieldsProps) {
  const collections = useQuery(collectionNamesOf(projectId, may)).data ?? [];
  const [members, setMembers] = useState(sets[0]?.name ?? another);
  const [writers, setWriters] = useState("all");
  const field = fields.find((one) => /^team(Id)?$|^(group|org|workspace)Id$/i.test(one)) ?? "teamId";
  const likely = collections.find((one) => /member/i.test(one)) ?? collections[0] ?? "";
  const isNew = members === another;
  return (
    <>
      <TextField label={words.teamField} name="field" defaultValue={field} mono list={fieldsId} autoComplete="off" />
      <SelectField
        label={words.members}
        name="members"
        value={members}
        options={[
          ...sets.map(({ name, collection }) => ({ value: name, label: words.membersSet(name, collection) })),
          { value: another, label: words.newSet },
        ]}
        onChange={setMembers}
      />
      {isNew && (
        <>
          <SelectField
            key={likely}
            label={words.memberships}
            name="memberships"
            defaultValue={likely}
            options={collections.map((value) => ({ value, label: value }))}
          />
          <TextField label={words.userField} name="userField" defaultValue="userId" mono autoComplete="off" />
          <TextField label={words.valueField} name="valueField" defaultValue="teamId" mono autoComplete="off" />
          <TextField label={words.setName} name="setName" hint={words.setHint} defaultValue="teams" mono autoComplete="off" />
          <SelectField
            label={words.writers}
            name="writers"
            value={writers}
            options={[
              { value: "all", label: words.allMembers },
              { value: "role", label: words.withRole },
            ]}
            onChange={setWriters}
          />
          {writers === "role" && (
            <>
              <TextField label={words.roleField} name="roleField" defaultValue="role" mono autoComplete="off" />
              <TextField label={words.writerRole} name="writerRole" hint={words.writerRoleHint} defaultValue="owner, editor" autoComplete="off" />
              <TextField label={words.writersSetName} name="writersSetName" defaultValue="editedTeams" mono autoComplete="off" />
            </>
          )}
          <p>{words.makes}</p>
        </>
      )}
      {!isNew && (
        <SelectField
          label={words.writers}
          name="writerSet"
          defaultValue={members}
          options={sets.map(({ name, collection }) => ({ value: name, label: words.membersSet(name, collection) }))}
        />
      )}
    </>
  );
}

/** Reads the answers, and makes the sets that they name. */
export async function answerTeam(
  projectId: string,
  may: Permission,
  sets: readonly PolicySet[],
  values: Values,
): Promise<{ team: TeamAnswers; made: boolean }> {
  const read = (name: string): string => {
    const text = (values[name] ?? "").trim();
    if (!text) throw new FormProblem(name, words.required);
    return text;
  };
  const field = read("field");
  const { members = another } = values;
  if (members !== another) return { team: { field, readers: members, writers: read("writerSet") }, made: false };

  const collection = read("memberships");
  const userField = read("userField");
  const value = read("valueField");
  const where = Object.fromEntries([[userField, "$auth.uid"]]);
  const unused = (name: string): string => {
    const text = read(name);
    if (sets.some((one) => one.name === text)) throw new FormProblem(name, words.taken);
    return text;
  };
  const save = (name: string, more: Record<string, unknown>, at: string) =>
    saveSet({ projectId, may, name, set: { collection, where: { ...where, ...more }, value }, userField, index: true }, at);
  const readers = unused("setName");
  const writers =
    values["writers"] === "role"
      ? {
          name: unused("writersSetName"),
          more: Object.fromEntries([[read("roleField"), { $in: read("writerRole").split(",").map((one) => one.trim()).filter(Boolean) }]]),
        }
      : undefined;
  await save(readers, {}, "setName");
  if (!writers) return { team: { field, readers, writers: readers }, made: true };
  await save(writers.name, writers.more, "writersSetName");
  return { team: { field, readers, writers: writers.name }, made: true };
}
