// In place of react-style-singleton's own: that one writes a <style> element, which the pages' content security policy
// forbids. A constructed sheet is made by a script that the policy knows already.
export function stylesheetSingleton() {
  let uses = 0;
  let sheet = null;
  return {
    add(css) {
      if (uses++ > 0) return;
      sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    },
    remove() {
      if (--uses > 0) return;
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
      sheet = null;
    },
  };
}
