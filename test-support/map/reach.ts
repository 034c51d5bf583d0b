import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ESTree, parseSync } from 'vite'

/**
 * What code reaches: from an expression on by the names that it uses, function by function and file by file. Values are
 * not followed, so a method or a property of an object counts as used once the object is reached and any of the code
 * uses its name.
 */

export type Node = ESTree.Node

/** A part of a source file. */
export interface Place {
  readonly file: string
  readonly node: Node
}

interface Declaration {
  readonly scope: Node
  /** Null for a parameter. */
  readonly node: Node | null
  /** For an import: its file, and its name there. */
  readonly from?: { readonly file: string; readonly name: string }
}

interface Source {
  readonly program: ESTree.Program
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>
}

interface Options {
  /** Names of properties that are used from outside. */
  readonly used?: Iterable<string>
  /** Which properties count only when their name is used, besides functions. Without it all count at once. */
  readonly isLate?: (name: string, value: Node) => boolean
  /** What a parameter of this name is, where one list says so. */
  readonly parameters?: ReadonlyMap<string, Place>
  /** Code that is not entered. */
  readonly stops?: (place: Place) => boolean
}

const sources = new Map<string, Source>()

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

const isFunction = ({ type }: Node) => /Function(Expression|Declaration)$/.test(type)

/** The name of a property that is not computed. */
export function nameOf({ computed, key }: { readonly computed: boolean; readonly key: Node }): string {
  if (computed) return ''
  return 'name' in key && typeof key.name === 'string' ? key.name : key.type === 'Literal' ? String(key.value) : ''
}

/** The nodes in a node that are code: no types, no names of properties. */
export function children(node: Node): Node[] {
  if (node.type.startsWith('TS')) return 'expression' in node && isNode(node.expression) ? [node.expression] : []
  const inner: unknown[] = Object.entries(node).flatMap(([field, value]: [string, unknown]) =>
    (field === 'key' || field === 'property') && 'computed' in node && !node.computed ? [] : value,
  )
  return inner.filter(isNode)
}

/** The nodes of a file within a node, itself first. */
export function* within(node: Node): Generator<Node> {
  yield node
  for (const child of children(node)) yield* within(child)
}

/** Our file that an import names; undefined for a package. */
function fileOf(specifier: string, from: string): string | undefined {
  const path = specifier.startsWith('.')
    ? join(dirname(from), specifier)
    : specifier.startsWith('@/')
      ? join('web/src', specifier.slice(2))
      : specifier.replace(/^#(?=services|infra)/, '')
  return /^(services|infra|web)\/.*\.tsx?$/.test(path) && existsSync(path) ? path : undefined
}

function sourceOf(file: string): Source {
  const known = sources.get(file)
  if (known) return known
  const { program } = parseSync(file, readFileSync(file, 'utf8'))
  const declarations = new Map<string, Declaration[]>()
  const declare = (name: string, declaration: Declaration) =>
    declarations.set(name, [...(declarations.get(name) ?? []), declaration])
  const declareAll = (pattern: Node, scope: Node, node: Node | null) => {
    for (const each of within(pattern)) if (each.type === 'Identifier') declare(each.name, { scope, node })
  }
  const visit = (node: Node, scope: Node): void => {
    let inner = scope
    if (node.type === 'ImportDeclaration') {
      const target = fileOf(node.source.value, file)
      for (const each of node.specifiers)
        if (target !== undefined && each.type === 'ImportSpecifier')
          declare(each.local.name, {
            scope,
            node: null,
            from: { file: target, name: nameOf({ computed: false, key: each.imported }) },
          })
    } else if (node.type === 'VariableDeclarator') declareAll(node.id, scope, node.init)
    else if (node.type === 'ClassDeclaration' && node.id) declare(node.id.name, { scope, node })
    else if (isFunction(node) && 'params' in node && Array.isArray(node.params)) {
      if (node.type === 'FunctionDeclaration' && node.id) declare(node.id.name, { scope, node })
      for (const parameter of node.params)
        if (isNode(parameter))
          declareAll(parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter, node, null)
      inner = node
    } else if (node.type === 'BlockStatement') inner = node
    for (const child of children(node)) visit(child, inner)
  }
  visit(program, program)
  const source = { program, declarations }
  sources.set(file, source)
  return source
}

/** What a name stands for at a node: undefined for one that is none of ours, null for a parameter. */
function declarationOf({ file, node }: Place, name: string): Place | null | undefined {
  const [nearest] = (sourceOf(file).declarations.get(name) ?? [])
    .filter(({ scope }) => scope.start <= node.start && node.end <= scope.end)
    .toSorted((one, other) => other.scope.start - one.scope.start)
  if (!nearest) return undefined
  if (nearest.from) return declarationOf(wholeFile(nearest.from.file), nearest.from.name)
  return nearest.node && { file, node: nearest.node }
}

/** What a file declares at its top under a name. */
export function exported(file: string, name: string): Place {
  const place = declarationOf(wholeFile(file), name)
  if (!place) throw new Error(`${file} declares no ${name}`)
  return place
}

/** All that a file holds. */
export function wholeFile(file: string): Place {
  return { file, node: sourceOf(file).program }
}

/** An expression behind names, `satisfies` and `as`. */
export function resolved(place: Place): Place {
  const { file, node } = place
  if (node.type === 'TSSatisfiesExpression' || node.type === 'TSAsExpression')
    return resolved({ file, node: node.expression })
  const declared = node.type === 'Identifier' ? declarationOf(place, node.name) : null
  return declared ? resolved(declared) : place
}

/** The value of a property in an object of the source. */
export function property(place: Place | undefined, name: string): Place | undefined {
  if (!place) return undefined
  const { file, node } = resolved(place)
  if (node.type !== 'ObjectExpression') return undefined
  for (const each of node.properties)
    if (each.type === 'Property' && nameOf(each) === name) return { file, node: each.value }
  return undefined
}

/** The properties of an object that are used by name: its functions, and objects of functions. */
const isUsedByName = (value: Node): boolean =>
  isFunction(value) ||
  (value.type === 'ObjectExpression' &&
    value.properties.some((each) => each.type === 'Property' && isFunction(each.value)))

/** A switch by the kind of something that our code has made: its cases count where their kinds are named. */
const isByKind = ({ discriminant }: ESTree.SwitchStatement): boolean =>
  discriminant.type === 'MemberExpression' && 'name' in discriminant.property && discriminant.property.name === 'kind'

/** Every node that the code at a place reaches. */
export function reached(from: Place, { used = [], isLate, parameters, stops }: Options): ReadonlyMap<Node, string> {
  const seen = new Map<Node, string>()
  // What has no name is used: the default of a switch.
  const names = new Set(['', ...used])
  const waiting = new Map<string, Place[]>()
  const todo = [from]
  const use = (name: string) => {
    names.add(name)
    todo.push(...(waiting.get(name) ?? []))
    waiting.delete(name)
  }
  const useText = (node: Node) => {
    if (node.type === 'Literal') use(`'${String(node.value)}'`)
  }
  const whenUsed = (name: string, place: Place) => {
    if (names.has(name)) todo.push(place)
    else waiting.set(name, [...(waiting.get(name) ?? []), place])
  }
  const follow = (place: Place, name: string) => {
    const target = declarationOf(place, name)
    if (target) todo.push(target)
    // A parameter, or a part of one.
    const part =
      target === null || (target && resolved(target).node.type === 'Identifier') ? parameters?.get(name) : null
    if (part) todo.push(part)
  }
  for (let place = todo.pop(); place; place = todo.pop()) {
    const { file, node } = place
    if (seen.has(node) || stops?.(place)) continue
    seen.set(node, file)
    if (node.type === 'Identifier' || (node.type === 'JSXIdentifier' && /^[A-Z]/.test(node.name)))
      follow(place, node.name)
    if (node.type === 'MemberExpression' && !node.computed && 'name' in node.property) {
      use(node.property.name)
      if (node.object.type === 'Identifier' && /parts|dependencies/i.test(node.object.name)) {
        const part = parameters?.get(node.property.name)
        if (part) todo.push(part)
      }
    }
    if (node.type === 'ImportExpression' && node.source.type === 'Literal') {
      const target = fileOf(String(node.source.value), file)
      if (target !== undefined)
        for (const name of sourceOf(target).declarations.keys()) {
          const place = declarationOf(wholeFile(target), name)
          if (place) for (const key of [name, `'${name}'`]) whenUsed(key, place)
        }
    }
    // The name of a page that is loaded with import(), or of a kind that a switch has a case for.
    if (node.type === 'CallExpression') node.arguments.forEach(useText)
    if (node.type === 'Property' && nameOf(node) === 'kind') for (const each of within(node.value)) useText(each)
    if (node.type === 'SwitchStatement' && isByKind(node)) {
      const kinds: string[] = []
      for (const each of node.cases) {
        kinds.push(each.test?.type === 'Literal' ? `'${String(each.test.value)}'` : '')
        for (const statement of each.consequent) for (const kind of kinds) whenUsed(kind, { file, node: statement })
        if (each.consequent.length > 0) kinds.length = 0
      }
      todo.push({ file, node: node.discriminant })
      continue
    }
    const isPattern = node.type === 'ObjectPattern'
    const isLeftOut = (child: Node) =>
      child.type === 'ImportDeclaration' ||
      // What is declared counts where its name is used.
      child.type === 'FunctionDeclaration' ||
      child.type === 'ClassDeclaration' ||
      (child.type === 'VariableDeclarator' && child.id.type === 'Identifier')
    for (const child of children(node)) {
      if (child.type === 'Property' && isPattern) use(nameOf(child))
      const isNamed = child.type === 'Property' || child.type === 'MethodDefinition'
      if (
        isNamed &&
        !isPattern &&
        isLate &&
        nameOf(child) !== 'constructor' &&
        (isUsedByName(child.value) || isLate(nameOf(child), child.value))
      )
        whenUsed(nameOf(child), { file, node: child.value })
      else if (!isLeftOut(child)) todo.push({ file, node: child })
    }
  }
  return seen
}
