import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usersName } from "./references";

interface ReferenceLinkProps {
  slug: string;
  collection: string;
  id: string;
  className?: string | undefined;
  /** Left out of the order of Tab, where other keys lead to it. */
  tabIndex?: number;
  children: ReactNode;
}

/** A link to the document, or the end user, that a reference names. */
export function ReferenceLink({ slug, collection, id, children, ...rest }: ReferenceLinkProps) {
  if (collection === usersName) {
    return (
      <Link {...rest} to="/p/$slug/users/$user" params={{ slug, user: id }}>
        {children}
      </Link>
    );
  }
  return (
    <Link {...rest} to="/p/$slug/data/$collection" params={{ slug, collection }} search={{ open: id }}>
      {children}
    </Link>
  );
}
