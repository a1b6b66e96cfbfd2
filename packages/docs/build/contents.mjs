// @ts-check
// The table of contents of the site. Every Markdown file in docs/ is listed here once; a test checks it.

/** @typedef {{ source: string, path: string, title?: string }} Entry */
/** @typedef {{ title: string, entries: Entry[] }} Section */

/**
 * A page at `path` from `docs/<source>.md`. The title is that of the Markdown file, unless the menu needs a shorter
 * one.
 * @param {string} source
 * @param {string} [title]
 * @returns {Entry}
 */
const page = (source, title) => ({ source: `${source}.md`, path: source, ...(title && { title }) })

/** @param {string[]} decisions the files in docs/decisions */
export const contents = (decisions) =>
  /** @type {Section[]} */ ([
    {
      title: 'Start',
      entries: [{ source: 'README.md', path: 'index', title: 'Overview' }, page('quick-start', 'Quick start')],
    },
    {
      title: 'Tutorials',
      entries: [
        page('guides/first-agent', 'Your first agent'),
        page('guides/own-tool', 'Your own tool'),
        page('guides/mcp', 'MCP server'),
        page('guides/policy', 'Policy and approvals'),
        page('guides/structured-output', 'Structured output'),
        page('guides/sensitive-data', 'Sensitive data'),
        page('guides/web-app', 'Web application'),
        page('guides/deploy', 'Deploy'),
        page('guides/cookbook', 'Cookbook'),
      ],
    },
    {
      title: 'Build an agent',
      entries: [
        page('agents', 'Agents'),
        page('skills', 'Skills'),
        page('roles', 'Planner, worker, judge'),
        page('plans', 'Plans'),
        page('models', 'Models'),
        page('sandbox', 'The sandbox'),
        page('model-failures', 'Failing models'),
        page('tools', 'Tools'),
        page('own-tools', 'Your own tools'),
        page('mcp', 'MCP servers'),
        page('tool-search', 'Tool search'),
        page('policy', 'Policy'),
        page('approvals', 'Approvals'),
        page('structured-output', 'Structured output'),
        page('rubrics', 'Rubrics'),
        page('sensitive-values', 'Sensitive values'),
        page('attachments', 'Attachments'),
        page('memory', 'Memory'),
        page('turns', 'Turns and replay'),
        page('evals', 'Evals'),
      ],
    },
    {
      title: 'Call the service',
      entries: [
        page('client', 'TypeScript client'),
        { source: '../clients/python/README.md', path: 'python', title: 'Python client' },
        page('api', 'HTTP API'),
        page('creating-runs', 'Create runs'),
        page('reading-runs', 'Read runs'),
        page('controlling-runs', 'Cancel, answer, fork'),
        page('reading-events', 'Read events'),
        page('console', 'Console'),
        page('console-access', 'Access to the console'),
        page('console-decisions', 'Decide in the console'),
        page('cli', 'Command line'),
        page('schedules', 'Schedules'),
        page('webhooks', 'Webhooks'),
        page('tokens', 'Tokens'),
        page('reaching-people', 'Reaching people'),
        page('sign-in', 'Sign-in for people'),
      ],
    },
    {
      title: 'Operate',
      entries: [
        page('operations', 'Operations'),
        page('postgresql', 'Your own PostgreSQL'),
        page('processes', 'Processes, connections'),
        page('sizing', 'Sizing and growth'),
        page('scaling', 'Scaling'),
        page('health', 'Health'),
        page('logs', 'Logs, alerts, traces'),
        page('metrics', 'Metrics'),
        page('failures', 'Failures'),
        page('backups', 'Backups'),
        page('upgrading', 'Upgrading'),
        page('keys', 'API keys'),
        page('usage', 'Usage and budgets'),
        page('retention', 'Retention and erasure'),
        page('encryption', 'Encryption'),
        page('audit', 'Audit log'),
      ],
    },
    {
      title: 'Reference',
      entries: [
        { source: 'openapi', path: 'reference', title: 'API reference' },
        page('errors', 'Errors'),
        page('events', 'Events'),
        page('reasons', 'Reason codes'),
        page('state-machine', 'States of a run'),
        page('configuration', 'Settings'),
        page('limits', 'Limits'),
        page('compatibility', 'Compatibility'),
        page('tools/calculator', 'calculator'),
        page('tools/current-time', 'current_time'),
        page('tools/http-fetch', 'http_fetch'),
        page('tools/json-query', 'json_query'),
        page('tools/memory-save', 'memory_save'),
        page('tools/memory-search', 'memory_search'),
        page('tools/run-javascript', 'run_javascript'),
        page('tools/wait', 'wait'),
      ],
    },
    {
      title: 'Understand it',
      entries: [
        page('concepts', 'Concepts and glossary'),
        page('delivery', 'Delivery guarantees'),
        page('reliability', 'Reliability tests'),
        page('security', 'Security'),
        page('security-tests', 'What is attacked'),
        page('architecture', 'Architecture'),
        page('architecture-runs', 'How runs are executed'),
        { source: 'decisions/README.md', path: 'decisions/index', title: 'Decisions' },
        ...decisions.map((name) => page(`decisions/${name.replace(/\.md$/, '')}`)),
      ],
    },
  ])
