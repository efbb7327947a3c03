/** What a chart shows over time: a value for each step, null where there is none. */
export interface Series {
  label: string;
  values: readonly (number | null)[];
  tone: "first" | "bad";
}

export interface Bar {
  /** From the top of the chart, of 100. */
  y: number;
  height: number;
  tone: Series["tone"];
}

export interface Step {
  at: Date;
  /** By series; null where none has a value. */
  values: readonly number[] | null;
  bars: readonly Bar[];
}

export interface Chart {
  steps: readonly Step[];
  /** The height of the chart: the highest sum of a step. */
  max: number;
}

/** Stacks the series in each step; the highest step has the height 100. */
export function chartOf(from: string, stepSeconds: number, series: readonly Series[]): Chart {
  const start = new Date(from).getTime();
  const length = Math.max(0, ...series.map(({ values }) => values.length));
  const given = Array.from({ length }, (_, at) =>
    series.every(({ values }) => (values[at] ?? null) === null) ? null : series.map(({ values }) => values[at] ?? 0),
  );
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const max = Math.max(0, ...given.map((values) => (values ? sum(values) : 0)));
  const steps = given.map((values, at) => {
    let top = 100;
    const bars: Bar[] = [];
    for (const [index, value] of (values ?? []).entries()) {
      if (value === 0) continue;
      const height = (100 * value) / max;
      top -= height;
      bars.push({ y: top, height, tone: series[index]!.tone });
    }
    return { at: new Date(start + at * stepSeconds * 1000), values, bars };
  });
  return { steps, max };
}
