import type { JSX, RefObject } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { DiffHunk, ToolInput } from '../../../protocol/conversation';
import type { BlockHost } from '../blockHost';
import { CodeTokens } from '../code/CodeBlock';
import type { CodeToken } from '../code/codeHighlighter';
import { highlightCode, languageOfPath, loadedHighlighter } from '../code/highlightCode';
import { type ExpandingHost, useExpanded } from '../parts/Disclosure';
import { useNearViewport } from '../parts/ImageView';
import { VisibleText } from '../parts/VisibleText';
import { formatCount, holdsHit, safeCut } from '../text/texts';

const FOLD_ROWS = 24;
const MAX_ROWS = 1000;
const MAX_LINE_CHARS = 2000;
type DiffLine = DiffHunk['lines'][number];

const SIGNS = { context: ' ', added: '+', removed: '-' } as const;

/** A change of a file, line by line. */
export function DiffView(props: {
  readonly input: ToolInput & { readonly kind: 'diff' };
  /** Identify the change, so that it stays unfolded. */
  readonly line: number;
  readonly path: string;
  readonly host: ExpandingHost & Pick<BlockHost, 't' | 'locale'>;
}): JSX.Element {
  const { input, line, path, host } = props;
  const rows = flattenHunks(input.hunks, MAX_ROWS);
  const [isExpanded, toggle] = useExpanded(host, line, `${path}#all`, false, (find) =>
    rows.slice(FOLD_ROWS).some((row) => row.kind !== 'gap' && holdsHit(find, row.text)),
  );
  const isLong = rows.length > FOLD_ROWS + 3;
  const shown = isLong && !isExpanded ? rows.slice(0, FOLD_ROWS) : rows;
  const hasNumbers = input.hunks.every(({ oldStart, newStart }) => oldStart !== null && newStart !== null);
  const box = useRef<HTMLDivElement>(null);
  const tokens = useDiffTokens(box, input);
  const missing = input.more + Math.max(0, countLines(input.hunks) - MAX_ROWS);
  return (
    <div class="block-diff">
      <div ref={box} class={hasNumbers ? 'block-diff-rows' : 'block-diff-rows without-numbers'} dir="ltr">
        {shown.map((row, at) => (
          <Row key={at} row={row} tokens={row.kind === 'gap' ? null : (tokens?.get(row.line) ?? null)} />
        ))}
      </div>
      {isLong && (
        <button type="button" data-unsearched class="block-link block-more" onClick={toggle}>
          {isExpanded ? host.t('Show less') : host.t('Show all ({0} lines)', formatCount(rows.length, host.locale))}
        </button>
      )}
      {missing > 0 && (isExpanded || !isLong) && (
        <div data-unsearched class="block-more">
          {host.t('{0} more lines are in the diff.', formatCount(missing, host.locale))}
        </div>
      )}
    </div>
  );
}

function Row({ row, tokens }: { row: DiffRow; tokens: readonly CodeToken[] | null }): JSX.Element {
  if (row.kind === 'gap') return <div class="block-diff-row block-diff-gap">⋯</div>;
  const cut = safeCut(row.text, MAX_LINE_CHARS);
  return (
    <div class={`block-diff-row block-diff-${row.kind}`}>
      {row.number !== null && <span class="block-diff-number" data-line={row.number} />}
      <span class="block-diff-sign">{SIGNS[row.kind]}</span>
      <span class="block-diff-text">
        {tokens === null || cut < row.text.length ? (
          <VisibleText text={row.text.slice(0, cut)} />
        ) : (
          <CodeTokens tokens={tokens} />
        )}
        {cut < row.text.length && <span class="block-control">+{row.text.length - cut}</span>}
      </span>
    </div>
  );
}

/**
 * The colours of the lines, once the change comes near the viewport; null while it is plain. Each hunk is highlighted as a
 * whole, before and after the change, because a line alone may begin within a string or a comment.
 */
function useDiffTokens(
  box: RefObject<Element | null>,
  { filePath, hunks }: ToolInput & { readonly kind: 'diff' },
): ReadonlyMap<DiffLine, readonly CodeToken[]> | null {
  const highlighter = loadedHighlighter.value;
  const language = languageOfPath(filePath);
  const isKnown = language !== null && highlighter?.knows(language) === true;
  const isNear = useNearViewport(box, isKnown);
  return useMemo(() => {
    if (!isNear || highlighter === null || language === null || !isKnown) return null;
    const tokens = new Map<DiffLine, readonly CodeToken[]>();
    for (const { lines } of hunks) {
      for (const left of ['added', 'removed'] as const) {
        const side = lines.filter(({ kind }) => kind !== left);
        const found = highlightCode(highlighter, side.map(({ text }) => text).join('\n'), language);
        if (found === null) continue;
        for (const [at, line] of linesOfTokens(found).entries()) {
          const of = side[at];
          if (of !== undefined) tokens.set(of, line);
        }
      }
    }
    return tokens;
  }, [isNear, highlighter, language, isKnown, hunks]);
}

/** Tokens can span lines. */
function linesOfTokens(tokens: readonly CodeToken[]): CodeToken[][] {
  let line: CodeToken[] = [];
  const lines = [line];
  for (const { text, className } of tokens) {
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) lines.push((line = []));
      if (part !== '') line.push({ text: part, className });
    }
  }
  return lines;
}

function countLines(hunks: readonly DiffHunk[]): number {
  return hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
}

type DiffRow =
  | { readonly kind: 'gap' }
  | {
      readonly kind: 'context' | 'added' | 'removed';
      /** Line number in the file after the change; for a removed line, before the change; null if it is unknown. */
      readonly number: number | null;
      readonly text: string;
      readonly line: DiffLine;
    };

/** The rows of a diff in reading order; `gap` represents unchanged lines. */
function flattenHunks(hunks: readonly DiffHunk[], maxRows: number): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  for (const hunk of hunks) {
    if (rows.length > 0) rows.push({ kind: 'gap' });
    let before = hunk.oldStart;
    let after = hunk.newStart;
    for (const line of hunk.lines) {
      const { kind, text } = line;
      if (rows.length >= maxRows) return rows;
      rows.push({ kind, number: kind === 'removed' ? before : after, text, line });
      if (kind !== 'added' && before !== null) before += 1;
      if (kind !== 'removed' && after !== null) after += 1;
    }
  }
  return rows;
}
