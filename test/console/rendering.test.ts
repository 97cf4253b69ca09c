import assert from "node:assert/strict";
import { test } from "node:test";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { type PageContext, renderFor, usePageContext } from "../../src/console/app/page-context.ts";
import { Checks } from "../../src/console/ui/fields.tsx";
import { PlainForm, useForm } from "../../src/console/ui/form.tsx";

const form = (id: string, children: () => unknown) =>
  renderToString(h(PlainForm, { id, failed: undefined, children: h(children as () => null, {}) }));

test("every text of a checkbox is escaped exactly once", () => {
  const text = (name: string) => `<b>${name}</b> & "${name}"`;
  const escaped = (name: string) => `&lt;b>${name}&lt;/b> &amp; &quot;${name}&quot;`;
  const choices = [{ value: text("value"), label: text("label"), hint: text("text") }];
  const parts = {
    hint: () => h("i", {}, text("hint")),
    before: () => h("h2", {}, text("before")),
    more: () => h("p", { title: text("title") }, text("more")),
  };
  const html = form("f", () => h(Checks, { name: "rows", label: text("legend"), choices, parts }));
  for (const name of ["legend", "value", "label", "hint", "before", "more", "title", "text"]) {
    assert.equal(html.split(escaped(name)).length, 2, `${name} in ${html}`);
  }
  assert.doesNotMatch(html, /<b>|&amp;(?:amp|lt|quot);/);
});

const boom = () => {
  throw new Error("boom");
};

test("a page that can't be rendered leaves nothing to the next one", () => {
  const context = (path: string) => ({ path }) as PageContext;
  const asPage = (html: string) => ({ status: 200, html });
  assert.throws(() => renderFor(context("/a"), boom), /boom/);
  assert.throws(usePageContext, /belongs to a page/);
  renderFor(context("/a"), () => {
    assert.throws(() => renderFor(context("/b"), boom), /boom/);
    return asPage(usePageContext().path);
  });
  assert.throws(usePageContext, /belongs to a page/);
});

test("a form that can't be rendered leaves nothing to the next one", () => {
  const before = useForm();
  assert.throws(() => form("a", boom), /boom/);
  assert.equal(useForm(), before);
  const ids: string[] = [];
  form("outer", () => {
    form("inner", () => void ids.push(useForm().id));
    ids.push(useForm().id);
    return null;
  });
  assert.deepEqual(ids, ["inner", "outer"]);
  assert.equal(useForm(), before);
});
