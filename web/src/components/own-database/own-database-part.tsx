import { useState } from "react";
import { ownDatabaseMessages } from "../../messages/own-database";
import { CheckboxField } from "../ui/checkbox";
import { AddressField } from "./address-field";
import { useMayBring } from "./may-bring";

/** The part of a form that offers a database of one's own, whose address it then asks for; nothing where the server takes none. */
export function OwnDatabasePart() {
  const [own, setOwn] = useState(false);
  const mayBring = useMayBring();
  if (!mayBring) return null;
  return (
    <>
      <CheckboxField
        label={ownDatabaseMessages.create.own}
        name="own"
        hint={ownDatabaseMessages.create.ownHint}
        checked={own}
        onChange={setOwn}
      />
      {own && <AddressField />}
    </>
  );
}
