// Changes of a collection as they happen, past its policy, for people who may follow them.
import { createClient, type Change, type ManybaseError, type Status, type SubscribeOptions, type Subscription } from "manybase";
import { tokensOf } from "../../app/queries";
import { loggedFetch } from "../../lib/call-log";
import { exactJson, type Fields } from "../../lib/json";
import { serverUrl } from "../../lib/server";

type Chosen = Pick<SubscribeOptions<Fields>, "events" | "filter" | "fields" | "leave" | "after" | "resume" | "onGap" | "onReset" | "onSubscribed">;

export interface FollowOptions extends Chosen {
  onChange(change: Change<Fields>): void;
  /** `ended`: the server refuses it, or there is no token; `error` is why. */
  onState(state: Status, error?: unknown): void;
}

export interface Following {
  /** Where a later one can resume with `after`. */
  position(): string | undefined;
  end(): void;
}

/** Follows the changes of a collection. Needs `data:<collection>:admin`. */
export function follow(projectId: string, collection: string, { onChange, onState, ...options }: FollowOptions): Following {
  const tokens = tokensOf(projectId);
  let close = () => {};
  let stopped = false;
  let subscription: Subscription | undefined;
  const position = () => subscription?.position ?? options.after;
  const open = async (refused?: string): Promise<void> => {
    onState("catching-up");
    let token: string;
    try {
      token = await tokens(refused);
    } catch (error) {
      if (!stopped) onState("ended", error);
      return;
    }
    if (stopped) return;
    // The socket holds one token: with the next one there is another client.
    const client = createClient({ url: serverUrl, project: projectId, apiKey: token, fetch: loggedFetch, json: exactJson });
    let wasLive = false;
    close = () => client.close();
    subscription = client.collection(collection).subscribe(onChange, {
      ...options,
      admin: true,
      after: options.resume === false ? undefined : position(),
      onStatus(status) {
        if (stopped || status === "ended") return;
        wasLive ||= status === "live";
        onState(status);
      },
      onError(error: ManybaseError) {
        if (stopped) return;
        close();
        if (wasLive && (error.code === "TOKEN_EXPIRED" || error.code === "AUTH_FAILED")) void open(token);
        else onState("ended", error);
      },
    });
  };
  void open();
  return {
    position,
    end() {
      stopped = true;
      close();
    },
  };
}
