// Sets the colour scheme before the first paint. A classic script: modules run later.
(() => {
  let scheme = null;
  try {
    scheme = localStorage.getItem("manybase.scheme");
  } catch {}
  const dark = scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.scheme = dark ? "dark" : "light";
})();
