import type { ComponentChildren, JSX } from 'preact';
import type { BlockHost } from '../blockHost';
import { linkTarget } from './parseMarkdown';

/** A link that the extension opens. It has no address of its own, so that no click can navigate the panel away. */
export function ActionLink(props: {
  readonly host: BlockHost;
  readonly href: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { host, href, children } = props;
  const target = linkTarget(href);
  if (target === null) return <>{children}</>;
  const open = (): void => {
    host.act(target === 'web' ? { kind: 'openLink', href } : { kind: 'openFile', ...filePlace(href) });
  };
  return (
    <a
      class="block-link"
      role="link"
      tabIndex={0}
      title={href}
      onClick={(event) => {
        event.preventDefault();
        open();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        open();
      }}
    >
      {children}
    </a>
  );
}

export interface FilePlace {
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
  readonly endLine?: number;
}

const PLACE =
  /^(?:file:\/\/(?:\/(?=[a-z]:))?)?(.*?)(?::(\d+)(?:-(\d+)|:\d+)?|#(?:L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?|.*))?$/i;

/** Parses a link to a file: `src/a.ts:42`, `a.ts#L10-L20`, or a `file:` URL. */
function filePlace(href: string): FilePlace {
  const [, path = href, line, end, hashLine, hashEnd] = PLACE.exec(href) ?? [];
  const [from, to] = [Number(line ?? hashLine), Number(end ?? hashEnd)];
  return { path: decoded(path), ...(from > 0 && { line: from }), ...(to > from && { endLine: to }) };
}

/** Markdown encodes spaces in paths; a path may also contain a literal percent sign. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
