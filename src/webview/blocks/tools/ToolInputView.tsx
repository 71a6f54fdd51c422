import type { JSX } from 'preact';
import type { RowItem, ToolBlock } from '../../../shared/conversation';
import { languageOfPath } from '../code/languageOfPath';
import type { BlockHost } from '../blockHost';
import { PathButton } from '../parts/PathButton';
import { PlainText } from '../parts/PlainText';
import { prettyJson } from '../text/prettyJson';
import { AgentInput } from './AgentInput';
import { DiffView } from './DiffView';
import { Facts } from './Facts';
import { TodoList } from './TodoList';
import { WebInput } from './WebInput';

interface ToolInputViewProps {
  readonly block: ToolBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
}

const COMMAND_LINES = 20;

/** What a tool was asked to do. */
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
      return <DiffView input={input} block={block} item={item} host={host} />;
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

/** Another version's worker may know more kinds. */
function UnknownInput({ input }: { input: never }): JSX.Element {
  return <Facts facts={[['', JSON.stringify(input)]]} />;
}
