import type { Plan } from "manybase/control";
import { DialogForm } from "../../components/form/dialog-form";
import type { Values } from "../../components/form/form";
import { useReview } from "../../components/form/review";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { toast } from "../../components/ui/toast";
import { amountText } from "../../lib/money";
import { operatorMessages } from "../../messages/operator";
import { control } from "../../session";
import { LimitFields } from "./limit-fields";
import { limitText } from "./limits";
import { planPatchOf } from "./plan-patch";
import { atFields } from "./problems";
import { operatorChanged } from "./queries";

const words = operatorMessages.plans;

/** Changes a plan, after a question with before and after. */
export function PlanDialog({ plan, onClose }: { plan: Plan; onClose(): void }) {
  const [review, question] = useReview();
  const save = async (values: Values) => {
    const { patch, changes } = planPatchOf(plan, values);
    if (changes.length === 0) return toast(operatorMessages.nothingChanged);
    if (!(await review({ title: words.question(plan.name), action: words.save, changes }))) return;
    try {
      await control.updatePlan(plan.slug, patch);
    } catch (error) {
      throw atFields(error);
    }
    await operatorChanged();
    toast(words.saved(patch.name ?? plan.name));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.dialog(plan.name)}>
      <DialogForm label={words.dialog(plan.name)} action={words.action} onSubmit={save} onClose={onClose}>
        <TextField label={words.name} name="name" defaultValue={plan.name} autoComplete="off" />
        <TextField
          label={words.price}
          name="priceUsdMonthly"
          hint={words.priceHint}
          inputMode="decimal"
          defaultValue={amountText(plan.priceUsdMonthly)}
          autoComplete="off"
        />
        <LimitFields initial={(name) => limitText(name, plan.limits[name])} />
        <CheckboxField
          label={words.grandfatherLabel}
          name="grandfather"
          hint={words.grandfatherHint}
          defaultChecked={plan.grandfather ?? false}
        />
      </DialogForm>
      {question}
    </Dialog>
  );
}
