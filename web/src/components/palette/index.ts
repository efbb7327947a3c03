// What is loaded on first use.
export { KeyList } from "./key-list";
export { Palette } from "./palette";
