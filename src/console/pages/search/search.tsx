/** @jsxRuntime automatic @jsxImportSource preact */

import { beginsWords, searchOf, wordsOf } from "../../../domain/text/words.ts";
import type { DataOf } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Section } from "../../ui/basics.tsx";
import { Confirm, Form } from "../../ui/form.tsx";
import { counted } from "../../ui/format.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { codeLabel, revealed } from "../../ui/labels.ts";
import { ACTIONS, type Action } from "./actions.ts";

const MAX_TEXT = 200;
/** Of each kind: in the palette, and on the page. */
const FEW = 5;
const MANY = 25;

type Found = DataOf<"find_records">[number];

interface Hit {
  key: string;
  title: string;
  detail?: string | null;
  status?: string | null;
  path: string;
  /** What a script clicks on the open page instead of following the link. */
  action?: Action;
}

interface Group {
  name: string;
  icon: IconName;
  hits: Hit[];
}

/** The kinds of records, in the order in which they are shown. */
const KINDS: readonly { kind: Found["kind"]; name: string; icon: IconName; pathOf(found: Found): string }[] = [
  { kind: "contact", name: "Contacts", icon: "contacts", pathOf: ({ id }) => `/contacts/${id}` },
  { kind: "account", name: "Companies", icon: "accounts", pathOf: ({ id }) => `/accounts/${id}` },
  { kind: "deal", name: "Deals", icon: "deals", pathOf: ({ id }) => `/deals/${id}` },
  { kind: "sequence", name: "Sequences", icon: "sequences", pathOf: ({ id }) => `/sequences/${id}` },
  {
    kind: "post",
    name: "Posts",
    icon: "checklist",
    pathOf: ({ id, status, parent_id }) =>
      status === "needs_review" ? `/review/post/${id}` : `/checklist/${parent_id}#${id}`,
  },
];

async function load(ctx: PageContext) {
  const text = ctx.query.get("q")?.trim().slice(0, MAX_TEXT) ?? "";
  const isPart = ctx.query.get("part") === "results";
  const limit = isPart ? FEW : MANY;
  const { data } = text === "" ? { data: [] } : await ctx.call("find_records", { text, limit });
  const records = KINDS.map(({ kind, name, icon, pathOf }) => ({
    name,
    icon,
    hits: data.flatMap((found) => (found.kind === kind ? [{ ...found, key: found.id, path: pathOf(found) }] : [])),
  }));
  const groups: Group[] = [
    ...records,
    { name: "Pages", icon: "today", hits: pagesFor(ctx, text).slice(0, limit) },
    { name: "Commands", icon: "running", hits: actionsFor(ctx, text).slice(0, limit) },
  ];
  const found = groups.filter(({ hits }) => hits.length > 0);
  return { text, isPart, groups: found, count: found.reduce((sum, { hits }) => sum + hits.length, 0) };
}

/** The pages that the member can open. Without a text, those of the sidebar. */
function pagesFor({ pages, sections }: PageContext, text: string): Hit[] {
  const { words } = searchOf(text);
  return pages.flatMap(({ title, path }) => {
    if (path === "/search") return [];
    const section = sections.find((known) => path === known.path || path.startsWith(`${known.path}/`));
    const isMatch =
      text === "" ? section?.path === path : beginsWords(words, wordsOf(`${title} ${section?.name ?? ""}`));
    const detail = section === undefined || section.name === title ? null : section.name;
    return isMatch && (words.length > 0 || text === "") ? [{ key: path, title, detail, path }] : [];
  });
}

function actionsFor(ctx: PageContext, text: string): Hit[] {
  const { words } = searchOf(text);
  return ACTIONS.flatMap((action) => {
    const isAllowed = ctx.may(action.needs) && action.isShown?.(ctx) !== false;
    const isMatch = text === "" || (words.length > 0 && beginsWords(words, wordsOf(`${action.name} ${action.words}`)));
    return isAllowed && isMatch ? [{ key: action.name, title: action.name, path: action.path, action }] : [];
  });
}

export const search = screen({
  path: "/search",
  title: "Search",
  needs: "find_records",
  load,
  part: ({ isPart, groups, count }) => (isPart ? <Options groups={groups} count={count} /> : undefined),
  view: ({ text, groups, count }) => (
    <>
      <SearchForm text={text} />
      {text !== "" && (
        <p class="bar">
          <span>
            {count === 0 ? "No matches" : counted(count, "match", "matches")} for <strong>{text}</strong>
          </span>
        </p>
      )}
      {count === 0 && (
        <Empty title="No matches">
          <p>Try the first letters of a name, a company, a deal, a page or a command.</p>
        </Empty>
      )}
      {groups.map(({ name, hits }) => (
        <Section key={name} title={name}>
          <ul class="line">
            {hits.map((hit) => (
              <li key={hit.key}>
                <PageHit hit={hit} />
              </li>
            ))}
          </ul>
        </Section>
      ))}
    </>
  ),
});

function SearchForm({ text }: { text: string }) {
  const { href } = usePageContext();
  return (
    <form method="get" action={href("/search")} class="inline seek" role="search" aria-label="Search everything">
      <div class="field">
        <label for="search-q">Contacts, companies, deals, sequences, posts, pages and commands</label>
        <input type="search" id="search-q" name="q" value={text} maxLength={MAX_TEXT} autoComplete="off" />
      </div>
      <button type="submit">Search</button>
    </form>
  );
}

/** On the page, an action that needs no form of its own is done here. */
function PageHit({ hit }: { hit: Hit }) {
  const { href } = usePageContext();
  if (hit.action?.needs === "pause_outreach") {
    return (
      <Form does="pause_outreach" id="pause-found" class="inline">
        <button type="submit">{hit.title}</button>
      </Form>
    );
  }
  if (hit.action?.needs === "resume_outreach") {
    return (
      <Confirm does="resume_outreach" id="resume-found" opens={`${hit.title}…`} submit={hit.title}>
        <p>
          Messages that came due during the pause can then be sent. Sequence messages still wait for sending hours, and
          daily limits still apply.
        </p>
      </Confirm>
    );
  }
  return (
    <>
      <a href={href(hit.path as `/${string}`)}>{revealed(hit.title)}</a>
      <About {...hit} />
    </>
  );
}

function About({ detail, status }: Pick<Hit, "detail" | "status">) {
  return (
    <>
      {detail != null && <span class="hint"> {revealed(detail)}</span>}
      {status != null && (
        <>
          {" "}
          <Chip>{codeLabel(status)}</Chip>
        </>
      )}
    </>
  );
}

/** What the palette shows: the options of its list. */
function Options({ groups, count }: { groups: readonly Group[]; count: number }) {
  const { href } = usePageContext();
  let option = 0;
  return (
    <>
      <p class={count === 0 ? "quiet" : "hidden"} role="status">
        {count === 0 ? "No matches" : counted(count, "match", "matches")}
      </p>
      {groups.map(({ name, icon, hits }, i) => (
        <div key={name} role="group" aria-labelledby={`found-${i}`}>
          <p class="hint" id={`found-${i}`} role="presentation">
            {name}
          </p>
          {hits.map((hit) => (
            <a
              key={hit.key}
              role="option"
              aria-selected="false"
              id={`option-${option++}`}
              tabIndex={-1}
              href={href(hit.path as `/${string}`)}
              data-press={hit.action?.press}
            >
              <Icon name={icon} />
              <span class="cut">
                {revealed(hit.title)}
                <About {...hit} />
              </span>
            </a>
          ))}
        </div>
      ))}
    </>
  );
}
