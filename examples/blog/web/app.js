// A blog for its readers: published posts by pages, an article, its comments as they are approved. No account, no token:
// the project's public rules decide what is shown.
import { createClient, isError, live } from "manybase";
import { project, server } from "./config.js";
import { el, field, form, showList, textOf, time } from "./ui.js";

const mb = createClient({ url: server, project, storage: "memory" });
const posts = mb.collection("posts");
const comments = mb.collection("comments");
const images = mb.files("images");
const pageLength = 5;

const main = document.getElementById("main");
let close = () => {};
let shown = 0;

/** `#/` is the newest posts, `#/after/<cursor>` a page of older ones, `#/posts/<slug>` an article. */
async function show() {
  // A view that was left while it loaded is not shown.
  const turn = ++shown;
  close();
  close = () => {};
  main.setAttribute("aria-busy", "true");
  const [, kind, given] = location.hash.match(/^#\/(after|posts)\/(.+)$/) ?? [];
  let view;
  try {
    view = kind === "posts" ? await article(decodeURIComponent(given)) : await list(given && decodeURIComponent(given));
  } catch (error) {
    view = failed(error);
  }
  if (turn !== shown) {
    view.close?.();
    return;
  }
  close = view.close ?? close;
  document.title = `${view.title} – Blog`;
  const heading = el("h1", { tabindex: "-1" }, view.title);
  main.replaceChildren(heading, ...view.content);
  main.removeAttribute("aria-busy");
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

const home = (text) => el("a", { href: "#/" }, text);

function failed(error) {
  // A cursor of a link that is too old, or was made by hand.
  const text = isError(error, "INVALID_CURSOR") ? "This page of the list does not exist any more." : textOf(error);
  const again = el("button", { type: "button", onclick: show }, "Try again");
  return {
    title: "Something went wrong",
    content: [
      el("p", { role: "alert", class: "error" }, text),
      el("div", { class: "actions" }, again, home("Newest posts")),
    ],
  };
}

/** Who wrote a post, and when. The author is `{id, name}`, or an id where the account is gone. */
function byline(post) {
  const name = typeof post.author === "object" ? post.author.name : null;
  return el("p", { class: "muted" }, name ? `${name} · ` : "", post.publishedAt && time(post.publishedAt));
}

async function list(after) {
  const { documents, next } = await posts.query({
    filter: { published: true },
    sort: { publishedAt: -1 },
    fields: ["title", "slug", "author", "publishedAt"],
    expand: ["author"],
    limit: pageLength,
    after,
  });
  const entries = documents.map((post) =>
    el(
      "li",
      { class: "card" },
      el(
        "article",
        {},
        el("h2", {}, el("a", { href: `#/posts/${encodeURIComponent(post.slug)}` }, post.title)),
        byline(post),
      ),
    ),
  );
  const pages = el(
    "nav",
    { class: "pages", "aria-label": "Pages" },
    after && home("Newest posts"),
    next && el("a", { href: `#/after/${encodeURIComponent(next)}` }, "Older posts"),
  );
  return {
    title: after ? "Older posts" : "Newest posts",
    content: [
      entries.length
        ? el("ul", { class: "entries" }, ...entries)
        : el("p", { class: "empty" }, "Nothing is published yet."),
      ...(after || next ? [pages] : []),
    ],
  };
}

async function article(slug) {
  const { documents } = await posts.query({ filter: { slug, published: true }, expand: ["author"], limit: 1 });
  const [post] = documents;
  if (!post) {
    return {
      title: "Not found",
      content: [el("p", {}, "There is no such post, or it is not published."), home("Newest posts")],
    };
  }
  // Posts are plain text, with an empty line between paragraphs.
  const paragraphs = (post.body ?? "").split(/\n\s*\n/).filter(Boolean);
  const talk = commentList(post);
  return {
    title: post.title,
    content: [
      el(
        "article",
        {},
        byline(post),
        post.image && el("img", { src: images.publicUrl(post.image), alt: "", class: "picture" }),
        ...paragraphs.map((text) => el("p", { class: "text" }, text)),
      ),
      talk.section,
      el("p", {}, home("All posts")),
    ],
    close: talk.close,
  };
}

function commentList(post) {
  const talk = live(comments.query({ filter: { post: post.id, approved: true }, sort: { createdAt: 1 }, limit: 500 }));
  const entries = el("ul", { class: "plain-list", "aria-live": "polite" });
  const none = el("p", { class: "empty", hidden: true }, "No comments yet.");
  const problem = el("p", { class: "error", role: "alert" });
  const stop = talk.subscribe(({ documents, status, error }) => {
    problem.textContent = error ? textOf(error) : "";
    none.hidden = documents.length > 0 || status === "catching-up";
    showList(entries, documents, (comment) =>
      el(
        "li",
        {},
        el("p", { class: "muted" }, el("strong", {}, comment.name), " ", comment.createdAt && time(comment.createdAt)),
        el("p", { class: "text" }, comment.text),
      ),
    );
  });

  const thanks = el("p", { role: "status", class: "thanks" });
  const name = el("input", { name: "name", required: true, maxlength: 80, autocomplete: "name" });
  const text = el("textarea", { name: "text", required: true, maxlength: 5000, rows: 4 });
  const write = form([field("Name", name), field("Comment", text)], "Send", async (given) => {
    thanks.textContent = "";
    await comments.create({ post: post.id, name: given.name, text: given.text });
    text.value = "";
    thanks.textContent = "Thank you. Your comment is shown once the author has approved it.";
  });
  return {
    section: el(
      "section",
      { class: "card", "aria-labelledby": "comments" },
      el("h2", { id: "comments" }, "Comments"),
      entries,
      none,
      problem,
      write,
      thanks,
    ),
    close() {
      stop();
      talk.close();
    },
  };
}

addEventListener("hashchange", show);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
await show();
