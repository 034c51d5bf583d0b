import { readdirSync } from 'node:fs'
import type { NamedRoute } from '#services/framework/api/route.ts'
import { allModules } from '#services/portal/modules.ts'
import { allRoutes } from '#services/portal/routes.ts'
import { describeEvent, isEventType, subjectNames, subjects } from '#services/oversight/event-catalogue.ts'
import {
  children,
  exported,
  nameOf,
  type Node,
  type Place,
  property,
  reached,
  resolved,
  wholeFile,
  within,
} from './reach.ts'

/** The map of the portal, docs/map.md: made from the lists of subjects and modules and from the code behind them. */

const MODULES = 'services/portal/modules.ts'
const COMPOSITION = ['portal/composition-root', 'portal/http-dependencies', 'command/command-service']
/** Where parts are made that record events. */
const MAKERS = /^services\/(framework|identity|programmes|trading|payments|oversight|operations)\//

type Nodes = ReadonlyMap<Node, string>

const code = (text: string) => `\`${text}\``
const list = (texts: Iterable<string>) => [...new Set(texts)].join(', ')
const routes = new Map<string, NamedRoute>(allRoutes.map((route) => [route.name, route]))
const worker = exported('services/worker/worker-service.ts', 'runWorker')
/** What the start does, in its order. */
const starts: readonly (readonly [place: Place, method?: string])[] = [
  [exported('services/portal/composition-root.ts', 'prepareDecisions')],
  [exported('services/programmes/programmes/server/programme-commands.ts', 'publishPresets')],
  [exported('services/identity/staff/server/access-keys.ts', 'AccessKeys'), 'ensureFirstKey'],
]
/** Here begins what has its own rows. */
const borders: ReadonlySet<Node> = new Set(
  [
    worker,
    ...starts.slice(0, 1).map(([place]) => place),
    exported('services/portal/composition-root.ts', 'assembleDependencies'),
  ].map(({ node }) => node),
)

/** What handlers and policies are given, by name: the class or the function that makes it. */
const parts = new Map<string, Place>()
for (const file of COMPOSITION.map((name) => `services/${name}.ts`))
  for (const node of within(wholeFile(file).node)) {
    const name = node.type === 'VariableDeclarator' && node.id.type === 'Identifier' ? node.id.name : undefined
    const [part, value] = node.type === 'Property' ? [nameOf(node), node.value] : [name, 'init' in node && node.init]
    if (part === undefined || !value || (value.type !== 'NewExpression' && value.type !== 'CallExpression')) continue
    const maker = resolved({ file, node: value.callee })
    if (MAKERS.test(maker.file)) parts.set(part, maker)
  }

function onServer(place: Place | undefined, used: readonly string[] = []): Nodes {
  if (!place) return new Map()
  return reached(place, {
    used,
    parameters: parts,
    // A call's handler, and the type of an event that another piece of code makes.
    isLate: (name, value) =>
      routes.has(name) || (name !== 'type' && value.type === 'Literal' && isEventType(String(value.value))),
    stops: ({ file, node }) =>
      file === MODULES ||
      (node !== place.node && borders.has(node)) ||
      (node.type === 'CallExpression' && isFold(node.callee)),
  })
}

/** An aggregate: to fold a stream makes no events. */
const isFold = (callee: Node) => callee.type === 'Identifier' && callee.name === 'aggregate'

const isAppend = (node: Node) =>
  node.type === 'MemberExpression' && 'name' in node.property && /^(decide|append)$/.test(String(node.property.name))

/** The types of the events that this code appends: those that it names, unless to compare with them. */
function eventsIn(nodes: Nodes): string[] {
  if (![...nodes.keys()].some(isAppend)) return []
  const compared = new Set(
    [...nodes.keys()].flatMap((node) =>
      /^(Binary|Array)Expression$|^SwitchCase$/.test(node.type) ? children(node) : [],
    ),
  )
  const types = [...nodes.keys()].flatMap((node) =>
    node.type === 'Literal' && !compared.has(node) && isEventType(String(node.value)) ? [String(node.value)] : [],
  )
  return [...new Set(types)].toSorted()
}

/** The names of the read models in a list of them. */
function readModelsIn(place: Place): string[] {
  const { file, node } = resolved(place)
  if (node.type === 'CallExpression')
    return node.arguments.flatMap((argument) => {
      const name = property({ file, node: argument }, 'name')?.node
      return name?.type === 'Literal' ? [String(name.value)] : []
    })
  return children(node).flatMap((child) => readModelsIn({ file, node: child }))
}

function moduleOf(subject: string): Place {
  const module = property(exported(MODULES, 'modules'), subject)
  if (!module) throw new Error(`${MODULES} has no ${subject}`)
  return resolved(module)
}

const serverHalf = (subject: string, half: string) => property(moduleOf(subject), half)

/** What records events. */
interface Origin {
  readonly by: string
  readonly events: readonly string[]
}

const calls = subjectNames.flatMap((subject) =>
  Object.keys(subjects[subject].routes).flatMap((name) => {
    const route = routes.get(name)
    if (!route) return []
    const half = serverHalf(subject, route.method === 'get' ? 'queries' : 'commands')
    const nodes = onServer(half, [name, 'handle', 'receive'])
    const needs = [...nodes].flatMap(([node, file]) =>
      node.type === 'Property' && nameOf(node) === 'needs' ? readModelsIn({ file, node: node.value }) : [],
    )
    return [{ subject, name, route, needs, by: `${code(name)} (${route.access})`, events: eventsIn(nodes) }]
  }),
)

const policies = allModules.flatMap((module) => {
  const subject = subjectNames.find((name) => subjects[name] === module.subject) ?? ''
  const policy = (type: string, place: Place | undefined) => ({
    ...{ type, subject, by: `policy of ${subject} on ${code(type)}`, events: eventsIn(onServer(place)) },
  })
  const half = serverHalf(subject, 'policies')
  return [
    ...Object.keys(module.policies).map((type) => policy(type, half && property(half, type))),
    ...(module.erase ? [policy('UserDeleted', serverHalf(subject, 'erase'))] : []),
  ]
})

/** What the worker does by itself: the functions that it is made of. */
function workerOrigins(): Origin[] {
  const { file } = worker
  const used = [...onServer(worker).keys()].flatMap((node) =>
    node.type === 'MemberExpression' && node.property.type === 'Identifier' ? [node.property.name] : [],
  )
  return [...within(worker.node)].flatMap((node) =>
    node.type === 'CallExpression' && node.callee.type === 'Identifier'
      ? [
          {
            by: `worker: ${code(node.callee.name)}`,
            events: eventsIn(onServer(resolved({ file, node: node.callee }), used)),
          },
        ]
      : [],
  )
}

/** The verbs of a command in the chain of calls that declares it. */
function verbsOf({ file, node }: Place): string[] {
  if (node.type === 'Identifier') {
    const declared = resolved({ file, node })
    return declared.node === node ? [] : verbsOf(declared)
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return []
  const { object, property: called } = node.callee
  const [verb] = node.arguments
  const own = 'name' in called && called.name === 'command' && verb?.type === 'Literal' ? [String(verb.value)] : []
  return [...verbsOf({ file, node: object }), ...own]
}

function commandLineOrigins(): Origin[] {
  return filesOf('services/cli').flatMap((file) =>
    [...within(wholeFile(file).node)].flatMap((node) => {
      if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return []
      const { property: called } = node.callee
      const [action] = node.arguments
      const isServing = /^(start|demo)$/.test(verbsOf({ file, node }).join(' '))
      return 'name' in called && called.name === 'action' && action && !isServing
        ? [
            {
              by: code(`proofdesk ${verbsOf({ file, node }).join(' ')}`),
              events: eventsIn(onServer({ file, node: action })),
            },
          ]
        : []
    }),
  )
}

function filesOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
    .toSorted()
    .map((name) => `${folder}/${name}`)
}

/** The calls that the code of a screen makes. */
function callsOfScreen(file: string): string[] {
  const nodes = reached(exported(file, 'Route'), { stops: (place) => place.file.startsWith('services/') })
  const keys = new Set(
    [...nodes.keys()].flatMap((node) =>
      // Only the key of a query, to read it again.
      node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'queryParts'
        ? node.arguments
        : [],
    ),
  )
  const names = [...nodes.keys()].flatMap((node) => {
    if (node.type === 'MemberExpression' && isRoutes(node.object) && node.property.type === 'Identifier')
      return keys.has(node) ? [] : [node.property.name]
    if (node.type === 'VariableDeclarator' && node.id.type === 'ObjectPattern' && node.init && isRoutes(node.init))
      return node.id.properties.flatMap((each) => (each.type === 'Property' ? [nameOf(each)] : []))
    return []
  })
  return allRoutes.map(({ name }) => name).filter((name) => names.includes(name))
}

const isRoutes = (node: Node) => node.type === 'Identifier' && node.name.endsWith('Routes')

function screens() {
  return filesOf('web/src/routes').map((file) => {
    const path = [...within(wholeFile(file).node)].flatMap((node) =>
      node.type === 'CallExpression' && 'name' in node.callee && node.callee.name === 'createFileRoute'
        ? node.arguments.flatMap((argument) => (argument.type === 'Literal' ? [String(argument.value)] : []))
        : [],
    )[0]
    // What traders and staff share asks each for their own.
    const staffOnly = (access: string) => !/^(public|trader|trader-or-any-admin)$/.test(access)
    const made = callsOfScreen(file).filter((name) => {
      const access = routes.get(name)?.access ?? ''
      return path?.startsWith('/admin') ? access !== 'trader' : !(path?.startsWith('/_trader') && staffOnly(access))
    })
    return { path: path ?? 'every page', file, made }
  })
}

const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** All that records events. */
export function eventOrigins(): readonly Origin[] {
  return [
    ...calls,
    ...policies,
    ...workerOrigins(),
    ...starts.map(([place, method]) => ({
      by: 'the start',
      events: eventsIn(onServer(place, method ? [method] : [])),
    })),
    ...commandLineOrigins(),
  ]
}

/** The text of docs/map.md. */
export function portalMap(): string {
  const origins = eventOrigins()
  const shown = screens()
  const eventRow = (type: string) => {
    const { title, mail, notice } = isEventType(type) ? describeEvent(type) : { title: '' }
    return [
      `${code(type)}<br>${title}`,
      list(origins.flatMap(({ by, events }) => (events.includes(type) ? [by] : []))),
      list(
        allModules.flatMap(({ readModels }) =>
          readModels.flatMap((each) => (each.eventTypes.has(type) ? [each.name] : [])),
        ),
      ),
      policies
        .filter((policy) => policy.type === type)
        .map(({ subject, events }) => [subject, ...(events.length > 0 ? [list(events.map(code))] : [])].join(': '))
        .join('; '),
      list([...(mail ? ['mail'] : []), ...(notice ? ['bell'] : [])]),
    ]
  }
  const sections = subjectNames.map((subject) => {
    const { title, events } = subjects[subject]
    const folder = moduleOf(subject).file.split('/').slice(1, 3).join('/')
    const callRows = calls
      .filter((call) => call.subject === subject)
      .map(({ name, route, needs, events: made }) => [
        `${code(name)}<br>${route.method.toUpperCase()} ${route.path}`,
        route.access,
        list(needs),
        list(made.map(code)),
        list(shown.flatMap((screen) => (screen.made.includes(name) ? [code(screen.path)] : []))),
      ])
    const eventRows = Object.keys(events).map(eventRow)
    return [
      `## ${title}\n\nCode: [services/${folder}](../services/${folder})`,
      ...(callRows.length > 0 ? [table(['call', 'who may', 'read models', 'can record', 'screens'], callRows)] : []),
      ...(eventRows.length > 0 ? [table(['event', 'recorded by', 'read models', 'policies', 'tells'], eventRows)] : []),
    ].join('\n\n')
  })
  const screenRows = shown.map(({ path, file, made }) => [
    `[${code(path)}](../${file})`,
    list(made.map(code)),
    list(calls.flatMap(({ name, needs }) => (made.includes(name) ? needs : [])).toSorted()),
  ])
  return `${[INTRODUCTION, ...sections, SCREENS, table(['screen', 'calls', 'read models'], screenRows)].join('\n\n')}\n`
}

const INTRODUCTION = `# Map

Which call records which event, who hears of the event, and which screen makes the call. \`npm run map\` writes this page
from the lists of subjects and modules and from the code; a test holds it equal. Change nothing here by hand.

- **Calls**: who may (a session, or a permission of [permissions.ts](../services/identity/staff/permissions.ts)), the read
  models that a read waits for, the events that it can record, and the screens that make it.
- **Events**: what records them, the read models that apply them, the policies, and whether a mail or the bell tells the
  trader. A policy does what follows in other streams, at once after the append, and again in the worker if the process
  died in between; behind its subject stand the events that it can record. Those of \`UserDeleted\` erase the user.
- What a call *can* record is what the code names that its handler reaches, function by function. That is an upper bound:
  one request records some of it. What policies do afterwards is listed with the policies.`

const SCREENS = `## Screens

Of the web app, by the files of [web/src/routes](../web/src/routes), with all that a screen can open. \`/_trader\` and
\`/admin\` are the frames of the pages below them. The read models are those that its calls wait for.`
