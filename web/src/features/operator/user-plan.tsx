import type { Plan, User } from "manybase/control";
import { PageForm } from "../../components/form/page-form";
import { useReview } from "../../components/form/review";
import type { Values } from "../../components/form/form";
import { SelectField } from "../../components/ui/select-field";
import { toast } from "../../components/ui/toast";
import { formatMoney } from "../../lib/money";
import { messages } from "../../messages";
import { operatorMessages } from "../../messages/operator";
import { control } from "../../session";
import styles from "./operator.module.css";
import { operatorChanged } from "./queries";

const words = operatorMessages.user.grant;

/** Grants a plan to a user. */
export function UserPlan({ user, plans }: { user: User; plans: readonly Plan[] }) {
  const [review, question] = useReview();
  const current = plans.find(({ slug }) => slug === user.plan);
  const grant = async ({ plan: slug = "" }: Values) => {
    const next = plans.find((one) => one.slug === slug)!;
    const price = (plan?: Plan) => (plan ? formatMoney(plan.priceUsdMonthly, "USD") : messages.none);
    const confirmed = await review({
      title: words.question(user.email),
      action: words.action,
      text: words.text,
      changes: [
        { label: words.plan, before: current?.name ?? messages.none, after: next.name },
        { label: words.price, before: price(current), after: price(next) },
      ],
    });
    if (!confirmed) return false;
    await control.setPlan(user.id, { plan: slug });
    await operatorChanged();
    return toast(words.done(user.email, next.name));
  };
  return (
    <section aria-label={words.title} className={styles["section"]}>
      <h3>{words.title}</h3>
      <p className={styles["secondary"]}>{words.text}</p>
      <PageForm label={words.title} action={words.action} onSubmit={grant}>
        <SelectField
          label={words.plan}
          name="plan"
          defaultValue={user.plan}
          options={plans.map(({ slug, name }) => ({ value: slug, label: name }))}
        />
      </PageForm>
      {question}
    </section>
  );
}
