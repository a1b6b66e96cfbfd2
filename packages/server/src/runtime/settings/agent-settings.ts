// The settings of models and agents.
import { modelName, modelNames, oneOf, path, seconds, wholeNumber } from './parsers.ts'
import { setting } from './setting.ts'

const likeModel = { parse: modelName, default: undefined, shownDefault: 'as `RUNWRIGHT_MODEL`' }

export const agentSettings = {
  models: {
    model: setting({
      name: 'RUNWRIGHT_MODEL',
      parse: modelName,
      default: 'sandbox',
      meaning:
        'The model for all three roles: `sandbox` or `provider/model`. Several, separated by commas, are tried in order.',
    }),
    planner: setting({ ...likeModel, name: 'RUNWRIGHT_MODEL_PLANNER', meaning: 'The model of the planner.' }),
    worker: setting({
      ...likeModel,
      name: 'RUNWRIGHT_MODEL_WORKER',
      meaning: 'The model of the worker, which executes the steps.',
    }),
    judge: setting({
      ...likeModel,
      name: 'RUNWRIGHT_MODEL_JUDGE',
      meaning: 'The model of the judge, which decides after each step.',
    }),
    allowed: setting({
      name: 'RUNWRIGHT_MODELS_ALLOWED',
      parse: modelNames,
      default: [],
      shownDefault: 'unset',
      emptyIsUnset: true,
      meaning:
        'The models that a run may choose in `metadata.model`, separated by commas. If not set, it cannot choose one.',
    }),
    providersPath: setting({
      name: 'RUNWRIGHT_PROVIDERS',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A file that configures providers and their models: servers, keys, parameters, fallbacks.',
    }),
  },
  agents: {
    agentsDir: setting({
      name: 'RUNWRIGHT_AGENTS_DIR',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A folder with your agents: Markdown files. SIGHUP reloads them.',
    }),
    skillsDir: setting({
      name: 'RUNWRIGHT_SKILLS_DIR',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A folder with your skills: folders with a `SKILL.md`. SIGHUP reloads them.',
    }),
    maxTurns: setting({
      name: 'RUNWRIGHT_MAX_TURNS',
      parse: wholeNumber({ min: 1, max: 1_000 }),
      default: 50,
      meaning: 'Turns of one step; the last one offers no tools, and its answer is the result.',
    }),
    maxSteps: setting({
      name: 'RUNWRIGHT_MAX_STEPS',
      parse: wholeNumber({ min: 1, max: 1_000 }),
      default: 20,
      meaning: 'Steps of a run without a plan; then it fails with `step_limit`.',
    }),
    maxReplans: setting({
      name: 'RUNWRIGHT_MAX_REPLANS',
      parse: wholeNumber({ min: 0, max: 100 }),
      default: 3,
      meaning: 'How often a run is planned again; then it fails with `replan_limit`.',
    }),
    judgeFallback: setting({
      name: 'RUNWRIGHT_JUDGE_FALLBACK',
      parse: oneOf('rule', 'ask', 'fail'),
      default: 'rule',
      meaning:
        'When the judge gives no usable decision: `rule` goes on and says so, `ask` asks a person, `fail` fails the run.',
    }),
    contextTokens: setting({
      name: 'RUNWRIGHT_CONTEXT_TOKENS',
      parse: wholeNumber({ min: 1_000, max: 100_000_000 }),
      default: 128_000,
      meaning: 'The context window of models whose own is not known. At 80 % of it older turns are summarized.',
    }),
    providerRetrySeconds: setting({
      name: 'RUNWRIGHT_PROVIDER_RETRY_SECONDS',
      parse: seconds,
      default: 900,
      meaning: 'How long a call to a model that fails for now is repeated before the run fails.',
    }),
    providerSilenceSeconds: setting({
      name: 'RUNWRIGHT_PROVIDER_SILENCE_SECONDS',
      parse: seconds,
      default: 60,
      meaning: 'A call to a model that sends nothing for this long is given up and repeated.',
    }),
  },
  cassettes: {
    recordDir: setting({
      name: 'RUNWRIGHT_RECORD',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A folder to which the calls to models of each run are recorded, one cassette per run.',
    }),
    replayDir: setting({
      name: 'RUNWRIGHT_REPLAY',
      parse: path,
      default: undefined,
      emptyIsUnset: true,
      meaning: 'A folder with cassettes: models are not called, and runs are answered as they were recorded.',
    }),
  },
} as const
