import { Plus } from "lucide-react";
import { Button } from "../../../components/ui/button";
import { Menu, MenuGroup, MenuItem } from "../../../components/ui/menu";
import { flowMessages as words } from "../../../messages/flow";
import type { NodeType } from "./types";

const groups: readonly (readonly [keyof typeof words.groups, readonly NodeType[]])[] = [
  ["control", ["condition", "forEach"]],
  ["data", ["find", "insert", "update", "delete"]],
  ["values", ["set", "log", "code", "integration"]],
  ["end", ["respond", "stop"]],
];

/** The types of nodes, of which one is added after the chosen node. */
export function Palette({ after, onAdd }: { after: string | undefined; onAdd(type: NodeType): void }) {
  return (
    <Menu
      trigger={
        <Button small>
          <Plus size={14} strokeWidth={1.75} aria-hidden />
          <bdi>{after === undefined ? words.add : words.addAfter(after)}</bdi>
        </Button>
      }
    >
      {groups.map(([group, types]) => (
        <MenuGroup key={group} label={words.groups[group]}>
          {types.map((type) => (
            <MenuItem key={type} onClick={() => onAdd(type)}>
              {words.types[type]}
            </MenuItem>
          ))}
        </MenuGroup>
      ))}
    </Menu>
  );
}
