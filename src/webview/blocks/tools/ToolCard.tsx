import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PanelAction } from '../../../protocol/channels/panel';
import type { RowItem, ToolBlock, ToolInput, ToolResult } from '../../../protocol/conversation';
import { isMcpTool } from '../../../protocol/tools';
import type { BlockHost, BlockProps, TextMatcher } from '../blockHost';
import { MarkdownText } from '../markdown/MarkdownText';
import { EllipsedText, Icon, type IconName, useExpanded } from '../parts/Disclosure';
import { ImageView } from '../parts/ImageView';
import { FOLD_LINES, PlainText, useLoaded } from '../parts/PlainText';
import { VisibleText } from '../parts/VisibleText';
import { holdsHit, mayHoldHit, prettyJson, relativePath, textsOf } from '../text/texts';
import { ChangedLines, shownName } from './CallsLine';
import { ToolInputView } from './ToolInputView';

/** A tool call and its result: a line that opens in place. A failed call is a box, and is open at first. */
export function ToolCard({ block, item, host }: { block: ToolBlock; item: RowItem; host: BlockHost }): JSX.Element {
  const { result } = block;
  const [isExpanded, toggle] = useExpanded(host, item.line, block.path, isOpenAtFirst(block), (find) =>
    hidesHit(block, find),
  );
  return (
    <Card
      icon={toolIcon(block)}
      name={<VisibleText text={shownName(block)} />}
      title={isExpanded && isTitleInBody(block) ? null : <CallTitle block={block} host={host} />}
      outcome={outcomeOf(result, host)}
      actions={<HeadActions block={block} item={item} host={host} />}
      isExpanded={isExpanded}
      onToggle={toggle}
    >
      {(): ComponentChildren => (
        <>
          <ToolInputView block={block} item={item} host={host} />
          {result !== null && !saysNothing(block, host.found(item.line)) && (
            <ToolResultView host={host} line={result.line} result={result} input={block.input} />
          )}
        </>
      )}
    </Card>
  );
}

/** What the call is about, and how many lines it changed. */
function CallTitle({ block, host }: { block: ToolBlock; host: BlockHost }): JSX.Element {
  const path = pathOf(block.input);
  return (
    <span
      class={isProse(block.input) ? 'block-call-title is-prose' : 'block-call-title'}
      {...(path === null ? {} : { title: path })}
    >
      <EllipsedText text={titleOf(block, host)} />
      {block.result?.isError !== true && <ChangedLines calls={[block]} />}
    </span>
  );
}

function titleOf({ input, title }: ToolBlock, host: BlockHost): string {
  switch (input.kind) {
    case 'read':
    case 'diff':
    case 'write':
      return relativePath(input.filePath, host.folder);
    case 'bash':
      return input.description ?? title;
    case 'todos': {
      const done = input.todos.filter(({ status }) => status === 'completed').length;
      const count = `${done}/${input.todos.length}`;
      return title === '' || input.todos.length === 0 ? count : `${count} · ${title}`;
    }
    case 'search':
    case 'web':
    case 'agent':
    case 'json':
      return title.startsWith('/') ? relativePath(title, host.folder) : title;
  }
}

/** Whether the title is a sentence, not a path, a pattern or a command. */
function isProse(input: ToolInput): boolean {
  return input.kind === 'agent' || input.kind === 'todos' || (input.kind === 'bash' && input.description !== null);
}

function pathOf(input: ToolInput): string | null {
  return input.kind === 'read' || input.kind === 'diff' || input.kind === 'write' ? input.filePath : null;
}

/** The one line that the client says of a change that the open call shows anyway; older ones repeat a part of the file below it. */
const SAYS_NOTHING =
  /^(?:The file .* has been (?:updated|created)|File (?:created|updated)|Applied \d+ edits? to |Todos have been modified|Updated cell |Edited )[^\n]*(?:`cat -n`[^]*)?$/;

/** Whether the result only says that the change, which is shown, was made. A hit of the find bar in it is shown. */
function saysNothing({ input, result }: ToolBlock, find: TextMatcher | null): boolean {
  if (!repeatsShownChange(input) || result?.isError !== false || result.images.length > 0) return false;
  const text = result.text?.text ?? '';
  if (text !== '' && !SAYS_NOTHING.test(text)) return false;
  return find === null || result.text === null || !mayHoldHit(find, result.text);
}

/** Whether the open card shows the command below its title, so that the title need not repeat it. */
function isTitleInBody({ input }: ToolBlock): boolean {
  return input.kind === 'bash' && input.description === null;
}

/** Whether the input or the result contains a hit, or its cut-off part may contain one. */
function hidesHit({ input, result }: ToolBlock, find: TextMatcher): boolean {
  if (textsOf(input).some((text) => holdsHit(find, text))) return true;
  return result?.text ? mayHoldHit(find, result.text) : false;
}

/** Actions that are available without unfolding the call. */
function HeadActions(props: {
  readonly block: ToolBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
}): JSX.Element | null {
  const { block, item, host } = props;
  const { input } = block;
  const button = (icon: IconName, label: string, action: PanelAction): JSX.Element => (
    <button
      type="button"
      class="block-icon-button"
      aria-label={label}
      title={label}
      onClick={() => {
        host.act(action);
      }}
    >
      <Icon name={icon} />
    </button>
  );
  const open = (path: string): JSX.Element => button('open', host.t('Open file'), { kind: 'openFile', path });
  switch (input.kind) {
    case 'read':
    case 'write':
      return open(input.filePath);
    case 'diff':
      return (
        <>
          {button('diff', host.t('Open diff'), {
            kind: 'openDiff',
            filePath: host.filePath,
            line: item.line,
            path: block.path,
          })}
          {open(input.filePath)}
        </>
      );
    case 'agent':
      return block.subagent === null
        ? null
        : button('open', host.t('Open in its own panel'), { kind: 'openConversation', filePath: block.subagent });
    default:
      return null;
  }
}

/** A box with a title line that unfolds the rest. */
function Card(props: {
  readonly icon: IconName;
  readonly name: ComponentChildren;
  readonly title: ComponentChildren;
  readonly outcome: Outcome;
  readonly actions?: ComponentChildren;
  readonly isExpanded: boolean;
  readonly onToggle: () => void;
  readonly children: () => ComponentChildren;
}): JSX.Element {
  const { look, icon, word } = props.outcome;
  const state = props.isExpanded ? 'is-open' : 'is-closed';
  return (
    <div class={`block-card block-card-${look} ${state}`}>
      <div class="block-card-head">
        <button type="button" class="block-card-line" aria-expanded={props.isExpanded} onClick={props.onToggle}>
          <Icon name="chevron" className="block-chevron" />
          {icon === null ? (
            <Icon name={props.icon} className="block-card-icon" />
          ) : (
            <span data-unsearched class={`block-status block-status-${look}`} title={word}>
              <Icon name={icon} />
            </span>
          )}
          <span class="block-card-name">{props.name}</span>
          <span class="block-card-title">{props.title}</span>
          <span data-unsearched class={look === 'ok' ? 'block-unseen' : 'block-status-word'}>
            {word}
          </span>
        </button>
        {props.actions}
      </div>
      {props.isExpanded && <div class="block-card-body">{props.children()}</div>}
    </div>
  );
}

/**
 * The outcome of a call, as a sign in the place of the tool's icon, and a word. Success has no sign, and its word is visually
 * hidden. If space is limited, the word yields to what the call is about.
 */
interface Outcome {
  readonly look: 'ok' | 'error' | 'none';
  readonly icon: IconName | null;
  readonly word: string;
}

function outcomeOf(result: ToolResult | null, host: BlockHost): Outcome {
  if (result === null) return { look: 'none', icon: 'pending', word: host.t('No result') };
  return result.isError
    ? { look: 'error', icon: 'error', word: host.t('Error') }
    : { look: 'ok', icon: null, word: host.t('Done') };
}

const ICONS: Readonly<Record<ToolInput['kind'], IconName>> = {
  bash: 'terminal',
  read: 'file',
  diff: 'edit',
  write: 'create',
  search: 'search',
  web: 'globe',
  agent: 'agent',
  todos: 'checklist',
  json: 'braces',
};

function toolIcon(block: ToolBlock): IconName {
  return isMcpTool(block.name) ? 'plug' : ICONS[block.input.kind];
}

function isOpenAtFirst({ result }: ToolBlock): boolean {
  return result?.isError === true;
}

/** A result whose call is elsewhere or lost. */
export function ResultBlock({ block, item, host }: BlockProps<'result'>): JSX.Element {
  const { result, path, toolUseId } = block;
  const [isExpanded, toggle] = useExpanded(
    host,
    item.line,
    `${path}#card`,
    true,
    (find) => result.text !== null && mayHoldHit(find, result.text),
  );
  return (
    <Card
      icon="pending"
      name={host.t('Result without its call')}
      title={toolUseId === null ? null : <EllipsedText text={toolUseId} />}
      outcome={outcomeOf(result, host)}
      isExpanded={isExpanded}
      onToggle={toggle}
    >
      {() => <ToolResultView host={host} line={item.line} result={result} input={null} />}
    </Card>
  );
}

const MAX_IMAGES = 50;

/** The result of a tool. @param input  of its call, if known: it determines how the result is shown */
function ToolResultView(props: {
  readonly host: BlockHost;
  readonly line: number;
  readonly result: ToolResult;
  readonly input: ToolInput | null;
}): JSX.Element {
  const { host, line, result } = props;
  return (
    <div class={result.isError ? 'block-result block-result-error' : 'block-result'}>
      {result.text !== null && <ResultText {...props} text={result.text} />}
      {result.images.slice(0, MAX_IMAGES).map((image) => (
        <ImageView key={image.path} host={host} line={line} {...image} />
      ))}
      {result.persisted !== null && <PersistedOutput host={host} line={line} result={result} path={result.persisted} />}
      {result.text === null && result.images.length === 0 && result.persisted === null && (
        <span class="block-quiet">{host.t('Nothing was returned.')}</span>
      )}
    </div>
  );
}

function ResultText(props: {
  readonly host: BlockHost;
  readonly line: number;
  readonly result: ToolResult;
  readonly input: ToolInput | null;
  readonly text: NonNullable<ToolResult['text']>;
}): JSX.Element {
  const { host, line, result, input, text } = props;
  const at = { host, line, path: result.path, body: text };
  if (text.text === '' && text.more === 0) return <span class="block-quiet">{host.t('Nothing was returned.')}</span>;
  if (input?.kind === 'agent' && !result.isError) return <MarkdownText {...at} breaks={false} />;
  if (input?.kind === 'json' && /^\s*[[{]/.test(text.text)) {
    return <PlainText {...at} look="code" language="json" format={prettyJson} />;
  }
  const foldLines = repeatsShownChange(input) && !result.isError ? 1 : FOLD_LINES;
  return <PlainText {...at} look="terminal" foldLines={foldLines} />;
}

/** Whether the result only repeats the shown change, as that of a successful edit does. */
function repeatsShownChange(input: ToolInput | null): boolean {
  return input?.kind === 'diff' || input?.kind === 'write' || input?.kind === 'todos';
}

/** Output that the client stores in a separate file, read on request. */
function PersistedOutput(props: {
  readonly host: BlockHost;
  readonly line: number;
  readonly result: ToolResult;
  readonly path: string;
}): JSX.Element {
  const { host, line, result, path } = props;
  const key = `${result.path}#persisted`;
  const isAsked = host.expanded.get(line, key) === true;
  const [attempt, setAttempt] = useState(0);
  const loaded = useLoaded(`${host.filePath}\npersisted\n${path}\n${attempt}`, isAsked, () => host.persisted(path));
  if (loaded?.kind === 'there') {
    return <PlainText host={host} line={line} path={key} body={{ text: loaded.text, more: 0 }} look="terminal" />;
  }
  if (loaded?.kind === 'waiting') {
    return (
      <span class="block-quiet" role="status">
        {host.t('Loading…')}
      </span>
    );
  }
  return (
    <div class="block-more">
      {loaded?.kind === 'gone' && <span role="status">{host.t('The file of the output is not there any more.')}</span>}
      <button
        type="button"
        class="block-link"
        title={path}
        onClick={() => {
          host.expanded.set(line, key, true);
          if (loaded?.kind === 'gone') setAttempt(attempt + 1);
        }}
      >
        {loaded?.kind === 'gone' ? host.t('Try again') : host.t('Show the whole output (file)')}
      </button>
    </div>
  );
}
