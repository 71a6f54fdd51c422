import type { ComponentChildren, JSX } from 'preact';
import type { RowItem, ToolBlock, ToolInput } from '../../../protocol/conversation';
import type { BlockHost } from '../blockHost';
import { languageOfPath } from '../code/highlightCode';
import { ActionLink } from '../markdown/ActionLink';
import { linkTarget } from '../markdown/parseMarkdown';
import { Disclosure, Icon, type IconName, PathButton, useExpanded } from '../parts/Disclosure';
import { PlainText } from '../parts/PlainText';
import { VisibleText } from '../parts/VisibleText';
import { prettyJson } from '../text/texts';
import { DiffView } from './DiffView';

interface ToolInputViewProps {
  readonly block: ToolBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
}

const COMMAND_LINES = 20;

/** The input of a tool call. */
export function ToolInputView({ block, item, host }: ToolInputViewProps): JSX.Element {
  const { input, path } = block;
  const at = { host, line: item.line, path: `${path}.input` };
  switch (input.kind) {
    case 'bash':
      return (
        <div class="block-command">
          <span class="block-command-sign" aria-hidden="true">
            $
          </span>
          <PlainText
            {...at}
            path={`${at.path}.command`}
            body={input.command}
            look="code"
            language="bash"
            foldLines={COMMAND_LINES}
          />
        </div>
      );
    case 'read':
      return (
        <Facts
          facts={[
            [host.t('File'), <PathButton key="path" host={host} path={input.filePath} />],
            [host.t('From line'), input.offset],
            [host.t('Lines'), input.limit],
          ]}
        />
      );
    case 'diff':
      return <DiffView input={input} line={item.line} path={block.path} host={host} />;
    case 'write':
      return (
        <PlainText
          {...at}
          path={`${at.path}.${block.name === 'NotebookEdit' ? 'new_source' : 'content'}`}
          body={input.content}
          look="code"
          language={languageOfPath(input.filePath)}
        />
      );
    case 'search':
      return (
        <Facts
          facts={[
            [host.t('Pattern'), input.pattern],
            [host.t('Where'), input.where],
          ]}
        />
      );
    case 'web':
      return <WebInput input={input} host={host} />;
    case 'agent':
      return <AgentInput input={input} block={block} item={item} host={host} />;
    case 'todos':
      return <TodoList host={host} todos={input.todos} />;
    case 'json':
      return <PlainText {...at} body={input.json} look="code" language="json" format={prettyJson} />;
    default:
      return <UnknownInput input={input} />;
  }
}

/** Fallback for unknown kinds: the worker may be of another version. */
function UnknownInput({ input }: { input: never }): JSX.Element {
  return <Facts facts={[['', JSON.stringify(input)]]} />;
}

const PROMPT_LINES = 6;

/** A subagent's prompt, and its own conversation. */
function AgentInput(props: {
  readonly input: ToolInput & { readonly kind: 'agent' };
  readonly block: ToolBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
}): JSX.Element {
  const { input, block, item, host } = props;
  return (
    <>
      <PlainText
        host={host}
        line={item.line}
        path={`${block.path}.input.prompt`}
        body={input.prompt}
        look="prose"
        foldLines={PROMPT_LINES}
      />
      {block.subagent !== null && (
        <Nested filePath={block.subagent} leafLine={null} block={block} item={item} host={host} />
      )}
      {block.subagent === null && block.subagentLeaf !== undefined && (
        <Nested filePath={host.filePath} leafLine={block.subagentLeaf} block={block} item={item} host={host} />
      )}
    </>
  );
}

function Nested(props: {
  readonly filePath: string;
  readonly leafLine: number | null;
  readonly block: ToolBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
}): JSX.Element | null {
  const { filePath, leafLine, block, item, host } = props;
  const [isExpanded, toggle] = useExpanded(host, item.line, `${block.path}#subagent`, false);
  const conversation: ComponentChildren = host.subagent(filePath, leafLine);
  if (conversation === null || conversation === undefined || conversation === false) return null;
  return (
    <Disclosure
      className="block-subagent"
      label={host.t('Conversation of the subagent')}
      isExpanded={isExpanded}
      onToggle={toggle}
    >
      {() => conversation}
    </Disclosure>
  );
}

const MAX_TODOS = 200;
const MAX_TODO_CHARS = 1000;

interface Todo {
  readonly text: string;
  readonly status: string;
}

function TodoList({ host, todos }: { host: BlockHost; todos: readonly Todo[] }): JSX.Element {
  return (
    <ul class="block-todos">
      {todos.slice(0, MAX_TODOS).map((todo, at) => {
        const { icon, label, look } = stateOf(todo.status, host);
        return (
          <li key={at} class={`block-todo-${look}`} dir="auto">
            <Icon name={icon} />
            <span class="block-unseen">{label}</span>
            <span class="block-todo-text">
              <VisibleText text={todo.text.slice(0, MAX_TODO_CHARS)} strictness="prose" />
            </span>
          </li>
        );
      })}
      {todos.length > MAX_TODOS && <li>{host.t('{0} more', todos.length - MAX_TODOS)}</li>}
    </ul>
  );
}

function stateOf(status: string, host: BlockHost): { icon: IconName; label: string; look: string } {
  switch (status) {
    case 'completed':
      return { icon: 'done', label: host.t('Done'), look: 'done' };
    case 'in_progress':
      return { icon: 'busy', label: host.t('In progress'), look: 'busy' };
    case 'pending':
      return { icon: 'square', label: host.t('Open'), look: 'open' };
    default:
      return { icon: 'square', label: status.slice(0, 40), look: 'open' };
  }
}

function WebInput(props: {
  readonly input: ToolInput & { readonly kind: 'web' };
  readonly host: BlockHost;
}): JSX.Element {
  const { input, host } = props;
  const { url } = input;
  const isLink = url !== null && linkTarget(url) === 'web';
  const link = isLink ? (
    <ActionLink host={host} href={url}>
      <VisibleText text={url} />
    </ActionLink>
  ) : (
    url
  );
  return (
    <Facts
      facts={[
        [host.t('Address'), link],
        [host.t('Query'), input.query],
        [host.t('Prompt'), input.prompt],
      ]}
    />
  );
}

const MAX_VALUE_CHARS = 4000;

/** Names and values; unknown values are omitted. */
function Facts(props: {
  readonly facts: readonly (readonly [name: string, value: JSX.Element | string | number | null])[];
}): JSX.Element {
  return (
    <dl class="block-facts">
      {props.facts
        .filter(([, value]) => value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">
              {typeof value === 'object' ? value : <VisibleText text={String(value).slice(0, MAX_VALUE_CHARS)} />}
            </dd>
          </div>
        ))}
    </dl>
  );
}
