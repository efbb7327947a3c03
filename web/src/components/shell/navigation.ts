import { House, type LucideIcon } from "lucide-react";
import { messages } from "../../messages";

/** A screen of a project in the rail. */
export interface Entry {
  label: string;
  icon: LucideIcon;
  to: "/p/$slug";
}

export const navigation: Entry[] = [{ label: messages.shell.home, icon: House, to: "/p/$slug" }];
