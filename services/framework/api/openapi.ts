import { z } from 'zod'
import { components, emptyIsNone } from './openapi-component.ts'
import {
  ADMIN_COOKIE,
  IDEMPOTENCY_HEADER,
  LINK_HEADER,
  POSITION_HEADER,
  SHOWN_HEADER,
  RETRY_HEADER,
  SESSION_COOKIE,
  TOTAL_HEADER,
  TOTAL_RELATION_HEADER,
} from './headers.ts'
import { IdempotencyKey } from './idempotency-key.ts'
import { takesIdempotencyKey } from './takes-idempotency-key.ts'
import {
  type Answer,
  type NamedRoute,
  namedRoutes,
  openApiPath,
  type RouteGroup,
  isOfPrograms,
  scopeOf,
} from './route.ts'

/** The OpenAPI 3.1 document, derived from the table of calls alone. */

type JsonSchema = z.core.JSONSchema.BaseSchema

type Content = Record<string, { schema: JsonSchema }>

/** The roles of staff that have a permission, and whether these are all. */
export type RolesWith = (permission: string) => { readonly roles: readonly string[]; readonly all: boolean }

interface Described {
  readonly version: string
  readonly serverUrl?: string
  readonly groups: readonly RouteGroup[]
  readonly rolesWith: RolesWith
}

/** Who may make a call. */
function accessOf(
  route: Pick<NamedRoute, 'access' | 'scope'>,
  rolesWith: RolesWith,
): { description: string; security: Record<string, []>[] } {
  const { access } = route
  if (access === 'public') return { description: 'Public.', security: [] }
  if (access === 'trader') return { description: 'For a signed-in trader.', security: [{ session: [] }] }
  if (access === 'trader-or-any-admin')
    return {
      description: 'For the trader it belongs to, or an access key of any role.',
      security: [{ session: [] }, { admin: [] }],
    }
  const scope = scopeOf(route)
  const ofProgram = `the key of a program with the scope ${scope}`
  if (isOfPrograms(access)) return { description: `For ${ofProgram}.`, security: [{ program: [] }] }
  const { roles, all } = rolesWith(access)
  const whose = all ? 'of any role' : `with the role ${roles.join(' or ')}`
  const ofStaff = `For an access key ${whose}`
  return scope === undefined
    ? { description: `${ofStaff}.`, security: [{ admin: [] }] }
    : { description: `${ofStaff}, or ${ofProgram}.`, security: [{ admin: [] }, { program: [] }] }
}

const position: JsonSchema = { type: 'string', pattern: '^\\d+$' }

/** The description of the whole HTTP interface, for `/api/openapi.json`. */
export function openApiDocument({ version, serverUrl, groups, rolesWith }: Described) {
  const schemas = new NamedSchemas()
  const paths: Record<string, Record<string, ReturnType<typeof operation>>> = {}
  for (const route of namedRoutes(groups)) {
    const path = openApiPath(route.path)
    paths[path] = { ...paths[path], [route.method]: operation(route, schemas, rolesWith) }
  }
  return {
    openapi: '3.1.0' as const,
    info: {
      title: 'Proofdesk',
      version,
      description:
        'The portal of a proprietary trading firm. All calls send cookies; money is US dollars as a decimal string. Texts have no control, bidirectional or invisible characters; only notes and reasons have line breaks.',
    },
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    tags: groups.map(({ title, about }) => ({ name: title, description: about })),
    paths,
    components: {
      schemas: schemas.sorted(),
      securitySchemes: {
        session: cookie(SESSION_COOKIE, "A trader's session, from /api/login or /api/register."),
        admin: cookie(ADMIN_COOKIE, "An access key's session, from /api/admin/login."),
        program: { type: 'http', scheme: 'bearer', description: 'The key of a program, from /api/admin/keys.' },
      },
    },
  }
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>

function cookie(name: string, description: string) {
  return {
    type: 'apiKey',
    in: 'cookie',
    name,
    description: `${description} Behind HTTPS its name starts with __Host-.`,
  } as const
}

function operation(route: NamedRoute, schemas: NamedSchemas, rolesWith: RolesWith) {
  const { description, security } = accessOf(route, rolesWith)
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    description,
    security,
    parameters: parameters(route, schemas),
    ...(route.body
      ? {
          requestBody: { required: isRequired(route, route.body), content: requestContent(route, route.body, schemas) },
        }
      : {}),
    responses: Object.fromEntries(
      Object.entries<Answer>(route.responses).map(([status, answer]) => [
        status,
        response(route, status, answer, schemas),
      ]),
    ),
  }
}

/** A body whose every field may be left out may be left out itself. */
function isRequired({ upload }: NamedRoute, body: z.ZodType): boolean {
  return upload !== undefined || !body.safeParse({}).success
}

function parameters(route: NamedRoute, schemas: NamedSchemas): Parameter[] {
  const inPath = Object.entries(schemas.fields(route.params)).map(([name, { schema }]) =>
    parameter({ name, in: 'path', required: true, schema }),
  )
  const inQuery = Object.entries(schemas.fields(route.query)).map(([name, { schema, required }]) =>
    parameter({ name, in: 'query', required, schema }),
  )
  const inHeaders = Object.entries(route.headers ?? {}).map(([name, { schema, description }]) =>
    parameter({ name, in: 'header', required: false, description, schema: schemas.request(schema) }),
  )
  if (takesIdempotencyKey(route))
    inHeaders.push({
      name: IDEMPOTENCY_HEADER,
      in: 'header',
      required: false,
      description:
        'A text of your choice: the request takes effect once, however often it is sent with it, and gets the same answer without secrets that are shown once. It belongs to you, this call and its path; another body is refused with 409',
      schema: schemas.request(IdempotencyKey),
    })
  if (route.position === 'waits' || route.position === 'tries') {
    const description = 'The position of a change: the answer then includes that change. Invalid text is ignored'
    inHeaders.push({ name: POSITION_HEADER, in: 'header', required: false, description, schema: { type: 'string' } })
  }
  return [...inPath, ...inQuery, ...inHeaders]
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
}

/** Tools display a parameter's own description, not its schema's. */
function parameter({ schema, ...rest }: Parameter): Parameter {
  const { description, ...bare } = schema
  return description === undefined ? { ...rest, schema } : { description, ...rest, schema: bare }
}

function requestContent({ upload }: NamedRoute, body: z.ZodType, schemas: NamedSchemas): Content {
  const schema = schemas.request(body)
  if (!upload) return { 'application/json': { schema } }
  const description = `At most ${upload.largest} bytes`
  const file: JsonSchema = {
    type: 'object',
    properties: { [upload.field]: { type: 'string', contentMediaType: upload.type, description } },
    required: [upload.field],
  }
  return { 'multipart/form-data': { schema: { allOf: [schema, file] } } }
}

function response(route: NamedRoute, status: string, answer: Answer, schemas: NamedSchemas) {
  const headers = answerHeaders(route, status)
  return {
    description: answer.description,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...('empty' in answer ? {} : { content: contentOf(answer, schemas) }),
  }
}

function contentOf(answer: Exclude<Answer, { readonly empty: true }>, schemas: NamedSchemas): Content {
  if ('schema' in answer) return { 'application/json': { schema: schemas.answer(answer.schema) } }
  if ('events' in answer) return { 'text/event-stream': { schema: schemas.answer(answer.events) } }
  return Object.fromEntries(answer.files.map((type) => [type, { schema: {} }]))
}

function answerHeaders(route: NamedRoute, status: string): Record<string, { description: string; schema: JsonSchema }> {
  const success = status.startsWith('2')
  return {
    ...(success && route.position === 'answers'
      ? { [POSITION_HEADER]: { description: 'The position of the log after this change', schema: position } }
      : {}),
    ...(success && route.position === 'waits'
      ? {
          [SHOWN_HEADER]: {
            description: 'The log position up to which this answer is complete: listen for changes after it',
            schema: position,
          },
        }
      : {}),
    ...(success && route.paged
      ? {
          [TOTAL_HEADER]: { description: 'The number of entries on all pages', schema: { type: 'integer' } },
          [TOTAL_RELATION_HEADER]: {
            description: 'Whether the total is exact or a lower bound',
            schema: { type: 'string', enum: ['exact', 'at-least'] },
          },
          [LINK_HEADER]: {
            description: 'The next page, as <URL>; rel="next"; absent on the last page',
            schema: { type: 'string' },
          },
        }
      : {}),
    ...(status === '429' || status === '503'
      ? { [RETRY_HEADER]: { description: 'Seconds to wait before a retry', schema: { type: 'integer' } } }
      : {}),
  }
}

/** The schema of a parameter that may be empty. */
function orEmpty({ description, default: standard, ...schema }: JsonSchema): JsonSchema {
  const admitsEmpty =
    schema.type === 'string' && schema.pattern === undefined && schema.enum === undefined && schema.format === undefined
  const around = {
    ...(description !== undefined && { description }),
    ...(standard !== undefined && { default: standard }),
  }
  return admitsEmpty ? { ...around, ...schema } : { ...around, anyOf: [schema, { const: '' }] }
}

/** JSON schemas of zod schemas; named ones are defined once, under `#/components/schemas`. */
class NamedSchemas {
  readonly #named = new Map<string, JsonSchema>()

  request(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'input')
  }

  answer(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'output')
  }

  /** The fields of an object in a request, one by one. */
  fields(schema: z.ZodObject | undefined): Record<string, { schema: JsonSchema; required: boolean }> {
    const { properties = {}, required = [] } = schema ? this.request(schema) : {}
    return Object.fromEntries(
      Object.entries(properties).map(([name, field]) => {
        const described = typeof field === 'boolean' ? {} : field
        const isNoneIfEmpty = schema !== undefined && emptyIsNone.has(schema.shape[name])
        return [name, { schema: isNoneIfEmpty ? orEmpty(described) : described, required: required.includes(name) }]
      }),
    )
  }

  sorted(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const converted = z.toJSONSchema(schema, {
      io,
      metadata: components,
      override: io === 'input' ? simplifyRequest : simplifyAnswer,
    })
    const { $schema: _, $defs = {}, ...root } = withReferences(converted)
    for (const [name, part] of Object.entries($defs)) this.#keep(name, part)
    return root
  }

  #keep(name: string, schema: JsonSchema): void {
    const existing = this.#named.get(name)
    // One name for two shapes would make the document lie about one of them.
    if (existing && JSON.stringify(existing) !== JSON.stringify(schema))
      throw new Error(`Two different schemas are named ${name}`)
    this.#named.set(name, schema)
  }
}

interface Override {
  readonly jsonSchema: JsonSchema
}

/** Requests stay open for new fields: clients may send more than the schema names. */
function simplifyRequest({ jsonSchema }: Override): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}

/** Removes redundant keywords. */
function simplifyAnswer({ jsonSchema }: Override): void {
  simplifyRequest({ jsonSchema })
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/** Points references to where an OpenAPI document keeps schemas. */
function withReferences(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/')
  const parsed: JsonSchema = JSON.parse(text)
  return parsed
}
