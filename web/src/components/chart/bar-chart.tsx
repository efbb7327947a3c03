import { formatMoment } from "../../lib/format";
import { messages } from "../../messages";
import { Table } from "../ui/table";
import styles from "./bar-chart.module.css";
import { chartOf, type Series, type Step } from "./bars";

const words = messages.chart;
const stepWidth = 10;
const barWidth = 8;

interface BarChartProps {
  label: string;
  /** What it comes to, such as "12 in all". */
  total: string;
  /** The start of the first step. */
  from: string;
  stepSeconds: number;
  series: readonly Series[];
}

const textOf = ({ values }: Step, series: readonly Series[]): string =>
  values ? series.map(({ label }, at) => `${label} ${values[at]!.toLocaleString("en")}`).join(", ") : words.unknown;

/** Counts over time as bars, and the same as a table. */
export function BarChart({ label, total, from, stepSeconds, series }: BarChartProps) {
  const { steps, max } = chartOf(from, stepSeconds, series);
  const moment = (step: Step | undefined) => (step ? formatMoment(step.at.toISOString()) : "");
  return (
    <figure className={styles["chart"]}>
      <figcaption>
        <span className={styles["label"]}>{label}</span>
        <span className={styles["total"]}>{total}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={words.describe(label, total, steps.length)}
        viewBox={`0 0 ${Math.max(1, steps.length) * stepWidth} 100`}
        preserveAspectRatio="none"
        className={styles["bars"]}
      >
        {steps.map((step, at) => (
          <g key={at}>
            <title>{`${moment(step)}: ${textOf(step, series)}`}</title>
            <rect x={at * stepWidth} y={0} width={stepWidth} height={100} className={step.values ? styles["ground"] : styles["unknown"]} />
            {step.bars.map(({ y, height, tone }) => (
              <rect key={tone} x={at * stepWidth + 1} y={y} width={barWidth} height={height} className={styles[tone]} />
            ))}
          </g>
        ))}
      </svg>
      <div className={styles["axis"]}>
        <span>{moment(steps[0])}</span>
        <span>{words.most(max)}</span>
        <span>{moment(steps.at(-1))}</span>
      </div>
      <details>
        <summary>{words.table}</summary>
        <div className={styles["table"]}>
          <Table
            label={label}
            columns={[words.time, ...series.map((one) => one.label)]}
            figures={series.map((one) => one.label)}
            rows={steps.map((step) => ({
              key: step.at.toISOString(),
              cells: [moment(step), ...series.map((_, at) => (step.values ? step.values[at]!.toLocaleString("en") : words.unknown))],
            }))}
          />
        </div>
      </details>
    </figure>
  );
}
