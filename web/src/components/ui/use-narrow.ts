import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 720px)");

const subscribe = (listener: () => void) => {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
};

/** Whether the window is too narrow for two parts next to each other, or for a canvas. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
