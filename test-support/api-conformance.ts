import { z } from 'zod'
import { ErrorAnswer } from '#services/framework/api/error-schemas.ts'
import type { Answer, NamedRoute } from '#services/framework/api/route.ts'
import { allRoutes } from '#services/portal/routes.ts'

/** For tests of the services: what really came back, held against the table of calls. */

const patterns = allRoutes.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+')}$`),
}))

/** The call that a method ('GET' or 'get') and a concrete address (with or without a query) belong to. */
export function findRoute(method: string, address: string): NamedRoute | undefined {
  const [path = ''] = address.split('?')
  return patterns.find(({ route, pattern }) => route.method === method.toLowerCase() && pattern.test(path))?.route
}

/**
 * Checks an answer against the table, to the last field: one that the schema doesn't know is a failure too, because it
 * may be something that no client may see.
 *
 * @param body the parsed JSON; not looked at when the answer is a file.
 * @throws {Error} that says what differs.
 */
export function conforms(method: string, address: string, status: number, body: unknown): void {
  const call = `${method.toUpperCase()} ${address} answered ${status}`
  const expected = expectedAnswer(method, address, status)
  if (!expected) {
    const known = Object.keys(findRoute(method, address)?.responses ?? noSuchCall(address)).join(', ')
    throw new Error(`${call}, but the table of calls has only ${known}`)
  }
  if (!('schema' in expected)) return
  const { data, error } = expected.schema.safeParse(body)
  if (error)
    throw new Error(`${call} with a body that does not conform:\n${z.prettifyError(error)}\n${JSON.stringify(body)}`)
  const strangers = unknownFields(body, data)
  if (strangers.length > 0)
    throw new Error(`${call} with fields that the contract doesn't know: ${strangers.join(', ')}`)
}

function expectedAnswer(method: string, address: string, status: number): Answer | undefined {
  const route = findRoute(method, address)
  const answers: Readonly<Record<number, Answer>> = route?.responses ?? noSuchCall(address)
  return answers[status]
}

/** What is answered where the table has no such call: 405 where the address takes another method. */
function noSuchCall(address: string): Readonly<Record<number, Answer>> {
  const [path = ''] = address.split('?')
  const isKnown = patterns.some(({ pattern }) => pattern.test(path))
  return { [isKnown ? 405 : 404]: { description: 'No such call', schema: ErrorAnswer } }
}

/** Answers are parsed without being changed, so what is missing after it was unknown to the schema. */
function unknownFields(body: unknown, known: unknown, path = ''): string[] {
  if (Array.isArray(body) && Array.isArray(known))
    return body.flatMap((item, i) => unknownFields(item, known[i], `${path}[${i}]`))
  if (!isObject(body) || !isObject(known)) return []
  return Object.entries(body).flatMap(([field, value]) => {
    const at = path === '' ? field : `${path}.${field}`
    return Object.hasOwn(known, field) ? unknownFields(value, known[field], at) : [at]
  })
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
