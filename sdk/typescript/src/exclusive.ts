import { isError } from "./errors.js";

const maxWaitMs = 10_000;
const electionMs = 60;

/** Messages between the tabs of a browser that elect one of them. */
export type Ballot = { claim: number } | { done: true };

/**
 * Runs `work` in one tab of the browser at a time: by Web Locks, and where a page has none, such as over http, by an
 * election over `channel`. A tab that was frozen with the lock delays the others by some seconds.
 */
export async function exclusive<T>(name: string, channel: BroadcastChannel | undefined, work: () => Promise<T>) {
  const locks = typeof navigator === "undefined" ? undefined : navigator.locks;
  if (!channel) return work();
  if (!locks) return elected(channel, work);
  try {
    return (await locks.request(name, { signal: AbortSignal.timeout(maxWaitMs) }, work)) as T;
  } catch (error) {
    if (isError(error)) throw error;
    // Waited for too long, or locks are not for this page.
    return work();
  }
}

/** The smallest number that claims the work has it; the others wait until it is done, then claim it themselves. */
async function elected<T>(channel: BroadcastChannel, work: () => Promise<T>): Promise<T> {
  const mine = Math.random();
  let wins: boolean;
  let over: () => void;
  let leading = false;
  const hear = ({ data }: MessageEvent): void => {
    const { claim, done } = data as { claim?: number; done?: true };
    if (done) over();
    // The one that works already has the smallest number for all that come later.
    else if (claim !== undefined && leading) channel.postMessage({ claim: -1 } satisfies Ballot);
    else if (claim !== undefined && claim < mine) wins = false;
  };
  channel.addEventListener("message", hear);
  try {
    for (const end = Date.now() + maxWaitMs; ;) {
      const others = new Promise<void>((resolve) => (over = resolve));
      wins = true;
      channel.postMessage({ claim: mine } satisfies Ballot);
      await pause(electionMs);
      if (wins || Date.now() > end) break;
      await Promise.race([others, pause(maxWaitMs)]);
    }
    leading = true;
    return await work();
  } finally {
    channel.removeEventListener("message", hear);
    channel.postMessage({ done: true } satisfies Ballot);
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
