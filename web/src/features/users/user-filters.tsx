import type { Role } from "manybase/admin";
import type { UserSearch } from "../../app/routes/access";
import { FilterBar, FilterChoice, FilterText } from "../../components/ui/filter-bar";
import { usersMessages } from "../../messages/users";
import { commonRole } from "./changes";

const words = usersMessages.filters;

interface FiltersProps {
  search: UserSearch;
  roles: readonly Role[] | undefined;
  status: string;
  onChange(changed: Partial<UserSearch>): void;
}

/** The filters and the order of the list, which the address holds. */
export function UserFilters({ search, roles, status, onChange }: FiltersProps) {
  const names = [...new Set([commonRole, ...(roles ?? []).map(({ name }) => name), ...(search.role ? [search.role] : [])])];
  return (
    <FilterBar status={status}>
      <FilterText label={usersMessages.find} value={search.find ?? ""} onChange={(find) => onChange({ find: find || undefined })} />
      <FilterChoice
        label={words.status}
        value={search.status ?? ""}
        options={[
          { value: "", label: words.anyStatus },
          ...(["active", "inactive", "blocked"] as const).map((value) => ({ value, label: usersMessages.status[value] })),
        ]}
        onChange={(value) => onChange({ status: (value || undefined) as UserSearch["status"] })}
      />
      <FilterChoice
        label={words.role}
        value={search.role ?? ""}
        options={[{ value: "", label: words.anyRole }, ...names.map((name) => ({ value: name, label: name }))]}
        onChange={(value) => onChange({ role: value || undefined })}
      />
      <FilterChoice
        label={words.verified}
        value={search.verified ?? ""}
        options={[
          { value: "", label: words.anyVerified },
          { value: "yes", label: words.yes },
          { value: "no", label: words.no },
        ]}
        onChange={(value) => onChange({ verified: (value || undefined) as UserSearch["verified"] })}
      />
      <FilterChoice
        label={words.sort}
        value={search.sort ?? "newest"}
        options={(["newest", "oldest", "email", "name", "changed"] as const).map((value) => ({ value, label: words[value] }))}
        onChange={(value) => onChange({ sort: value === "newest" ? undefined : (value as UserSearch["sort"]) })}
      />
    </FilterBar>
  );
}
