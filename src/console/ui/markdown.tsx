/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { type Block, type Inline, parseMarkdown } from "../../domain/text/markdown.ts";
import { revealed } from "./labels.ts";

interface Props {
  text: string;
  /** The level of the heading above. */
  below: number;
}

/** A document as its readers will see it. Links show their address and can't be followed, because an agent wrote them. */
export function Markdown({ text, below }: Props) {
  const blocks = parseMarkdown(revealed(text));
  let level = below;
  return (
    <div class="rendered">
      {blocks.map((block, i) => {
        // A document may skip levels. Screen readers announce none that is missing.
        if (block.is === "heading") level = Math.min(level + 1, below + block.level, 6);
        return <Shown key={i} block={block} level={level} />;
      })}
    </div>
  );
}

function Shown({ block, level }: { block: Block; level: number }): ComponentChildren {
  switch (block.is) {
    case "heading": {
      const Heading = `h${level}` as "h3";
      return <Heading>{inline(block.of)}</Heading>;
    }
    case "paragraph":
      return <p>{inline(block.of)}</p>;
    case "quote":
      return (
        <blockquote>
          <p>{inline(block.of)}</p>
        </blockquote>
      );
    case "code":
      return (
        <div class="copytext">
          {block.info !== "" && <span class="hint">{block.info}</span>}
          {block.text}
        </div>
      );
    case "list": {
      const items = block.items.map(({ number, of }, i) => (
        <li key={i} value={number}>
          {inline(of)}
        </li>
      ));
      return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case "rule":
      return <hr />;
  }
}

const inline = (parts: readonly Inline[]) => parts.map((part, i) => <Part key={i} part={part} />);

function Part({ part }: { part: Inline }): ComponentChildren {
  switch (part.is) {
    case "text":
      return part.text;
    case "code":
      return <code>{part.text}</code>;
    case "strong":
      return <strong>{inline(part.of)}</strong>;
    case "em":
      return <em>{inline(part.of)}</em>;
    case "image":
      return (
        <span class="quiet">
          Image{part.text === "" ? "" : ` “${part.text}”`}: <code>{part.url}</code>
        </span>
      );
    case "link":
      return part.text === "" || part.text === part.url ? (
        <code>{part.url}</code>
      ) : (
        <>
          <u>{part.text}</u> (<code>{part.url}</code>)
        </>
      );
  }
}
