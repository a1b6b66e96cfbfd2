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
      entries: [{ source: 'README.md', path: 'index', title: 'Overview' }, page('concepts', 'Concepts')],
    },
    {
      title: 'Guides',
      entries: [
        page('guides/first-agent', 'Your first agent'),
        page('guides/own-tool', 'Your own tool'),
        page('guides/mcp', 'MCP server'),
        page('guides/policy', 'Policy and approvals'),
        page('guides/structured-output', 'Structured output'),
        page('guides/sensitive-data', 'Sensitive data'),
        page('guides/web-app', 'Web application'),
        page('guides/deploy', 'Deploy'),
      ],
    },
    {
      title: 'Topics',
      entries: [
        page('agents', 'Agents'),
        page('models', 'Models'),
        page('tools', 'Tools'),
        page('delivery', 'Delivery guarantees'),
        page('http-fetch', 'http_fetch'),
        page('mcp', 'MCP servers'),
        page('policy', 'Policy'),
        page('sensitive-values', 'Sensitive values'),
        page('attachments', 'Attachments'),
        page('memory', 'Memory'),
        page('usage', 'Usage and budgets'),
        page('schedules', 'Schedules'),
        page('webhooks', 'Webhooks'),
        page('turns', 'Turns and replay'),
        page('evals', 'Evals'),
      ],
    },
    {
      title: 'Use it',
      entries: [
        page('client', 'Client'),
        page('console', 'Console'),
        page('cli', 'Command line'),
        page('keys', 'API keys'),
      ],
    },
    {
      title: 'Reference',
      entries: [
        page('api', 'How the API works'),
        { source: 'openapi', path: 'reference', title: 'API reference' },
        page('compatibility', 'Compatibility'),
        page('errors', 'Errors'),
        page('events', 'Events'),
        page('reasons', 'Reason codes'),
        page('state-machine', 'States of a run'),
        page('configuration', 'Settings'),
      ],
    },
    {
      title: 'Operate',
      entries: [
        page('operations', 'Operations'),
        page('metrics', 'Metrics'),
        page('scaling', 'Scaling'),
        page('audit', 'Audit log'),
        page('security', 'Security'),
      ],
    },
    {
      title: 'How it is built',
      entries: [
        page('architecture', 'Architecture'),
        { source: 'decisions/README.md', path: 'decisions/index', title: 'Decisions' },
        ...decisions.map((name) => page(`decisions/${name.replace(/\.md$/, '')}`)),
      ],
    },
  ])
