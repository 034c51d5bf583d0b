import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type OpenApiDocument, openApiDocument } from '#services/framework/api/openapi.ts'
import { rolesWith } from '#services/identity/staff/permissions.ts'
import { allRoutes, routeGroups } from './routes.ts'
import { openApiPath } from '#services/framework/api/route.ts'

describe('the OpenAPI document', () => {
  const generated = openApiDocument({
    version: '1.2.3',
    serverUrl: 'http://localhost:3000',
    groups: routeGroups,
    rolesWith,
  })
  const document: OpenApiDocument = JSON.parse(JSON.stringify(generated))

  it('is plain JSON with the version it describes', () => {
    expect(document).toEqual(generated)
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Proofdesk', version: '1.2.3' } })
    expect(document.servers).toEqual([{ url: 'http://localhost:3000' }])
    expect(openApiDocument({ version: '1', groups: routeGroups, rolesWith })).not.toHaveProperty('servers')
  })

  it('lists every call once, under a unique name', () => {
    const listed = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    )
    expect(listed.sort()).toEqual(
      allRoutes.map(({ method, path, name }) => `${method} ${openApiPath(path)} ${name}`).sort(),
    )
  })

  it('describes all requests and answers', () => {
    for (const { method, path, body, upload, responses } of allRoutes) {
      const operation = document.paths[openApiPath(path)]?.[method]
      expect(Object.keys(operation?.responses ?? {})).toEqual(Object.keys(responses))
      const contentType = upload ? 'multipart/form-data' : 'application/json'
      expect(Object.keys(operation?.requestBody?.content ?? {}), path).toEqual(body ? [contentType] : [])
    }
  })

  it('declares exactly the parameters of each path', () => {
    for (const [path, operations] of Object.entries(document.paths))
      for (const { parameters } of Object.values(operations)) {
        const inPath = parameters.filter((parameter) => parameter.in === 'path')
        expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
        expect(inPath.every(({ required, description }) => required && description !== undefined)).toBe(true)
      }
  })

  it('has no dangling references and no unused schemas', () => {
    const references = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference),
    )
    const named = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect([...references].sort()).toEqual(named.sort())
  })

  it('has every security scheme that calls require', () => {
    const schemes = Object.keys(document.components.securitySchemes)
    const demanded = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ security }) => security.flatMap((each) => Object.keys(each))),
    )
    expect([...new Set(demanded)].sort()).toEqual(schemes.sort())
  })

  it('embeds no schema dialects or definitions', () => {
    expect(JSON.stringify(document)).not.toMatch(/"\$(schema|defs)"/)
  })

  it('describes requests as sent, not as parsed', () => {
    expect(document.components.schemas['PayoutRequest']).toMatchObject({
      properties: { amount: { anyOf: [{ type: 'string' }, { type: 'number', minimum: 0.01, maximum: 100_000_000 }] } },
      required: ['amount', 'paymentMethod'],
    })
    const upload = document.paths['/api/admin/certificates']?.['post']?.requestBody?.content['multipart/form-data']
    expect(upload?.schema).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/CertificateUpload' }, { required: ['certificateFile'] }],
    })
  })

  it('lists the media types of every file answer', () => {
    const types = (path: string) => Object.keys(document.paths[path]?.['get']?.responses['200']?.content ?? {})
    expect(types('/api/audit/accounts/{id}/export')).toEqual(['application/json', 'text/csv'])
    expect(types('/api/admin/users.csv')).toEqual(['text/csv'])
    expect(types('/api/user/history/proof')).toEqual(['application/json'])
  })

  it('requires a body only where an empty one is refused', () => {
    const optional = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody }]) =>
        requestBody?.required === false ? [`${method} ${path}`] : [],
      ),
    )
    expect(optional.sort()).toEqual([
      'patch /api/admin/accounts/{id}',
      'patch /api/admin/offers/{id}',
      'patch /api/admin/staff/{id}',
      'patch /api/admin/system/firm',
      'patch /api/admin/user/{id}',
      'patch /api/admin/user/{id}/account',
      'patch /api/user/notices',
      'patch /api/user/profile',
      'post /api/admin/accounts/{id}/login',
      'post /api/admin/auth/factors/confirmation',
      'post /api/admin/certificates/{id}/revoke',
      'post /api/admin/findings/{id}/confirm',
      'post /api/admin/imports/{id}/confirm',
      'post /api/admin/login/factor',
      'post /api/admin/staff/{id}/key',
      'post /api/admin/user/{id}/account',
      'post /api/admin/user/{id}/accounts',
      'post /api/login/factor',
      'post /api/user/factors/confirmation',
    ])
  })

  it('declares the position headers of each call', () => {
    for (const { method, path, position } of allRoutes) {
      const operation = document.paths[openApiPath(path)]?.[method]
      const header = operation?.parameters.find(({ name }) => name === 'X-Proofdesk-Position')
      expect([path, header?.schema]).toEqual([
        path,
        position === 'waits' || position === 'tries' ? { type: 'string' } : undefined,
      ])
      expect([path, 'X-Proofdesk-Shown' in (operation?.responses['200']?.headers ?? {})]).toEqual([
        path,
        position === 'waits',
      ])
    }
  })

  describe('accepts exactly what the server accepts', () => {
    /** The document's schema as a validator. */
    const validator = (schema: unknown): z.ZodType => {
      const inlined: z.core.JSONSchema.BaseSchema = JSON.parse(JSON.stringify(inline(schema)))
      return z.fromJSONSchema(inlined)
    }
    const inline = (schema: unknown): unknown => {
      if (Array.isArray(schema)) return schema.map(inline)
      if (typeof schema !== 'object' || schema === null) return schema
      const { $ref, ...rest } = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inline(value)]))
      if (typeof $ref !== 'string') return rest
      return { ...rest, ...Object(inline(document.components.schemas[$ref.replace('#/components/schemas/', '')])) }
    }

    const emails = [
      'a@b.co',
      ' a@b.co ',
      'a#b@x.co',
      'a@münchen.de',
      'a@xn--80ak6aa92e.xn--p1ai',
      'a@b',
      'a..b@c.de',
      `${'a'.repeat(250)}@b.co`,
    ]
    const amounts = [
      '1',
      '007.10',
      '1.5',
      '1.005',
      '-5',
      '0',
      '0.00',
      '-0.00',
      '100000000',
      '100000000.00',
      '100000000.01',
      '1e3',
      ' 5',
      '5.',
      '٣',
      '1,000',
      '9'.repeat(30),
    ]
    const moments = [
      '2026-03-03T14:07:00Z',
      '2026-03-03T14:07:00.123+01:00',
      '2026-03-03t14:07:00z',
      '2026-03-03T14:07Z',
      '2026-02-29',
      '2024-02-29',
      '17',
      '0',
      '01',
      '9'.repeat(15),
      '9'.repeat(16),
    ]
    const words = [
      '',
      ' ',
      'a',
      ' a ',
      'ab',
      '\u00a0',
      '12345678',
      'x'.repeat(200),
      'x'.repeat(201),
      `${' '.repeat(200)}a`,
      'x'.repeat(501),
      'x'.repeat(2001),
      'abc-_',
      'a+b',
      'true',
      '1000',
      '1001',
      '9999',
    ]
    const named = allRoutes
      .flatMap(({ body, query }) => [body, query])
      .filter((schema) => schema instanceof z.ZodObject)
    // Without the tab between columns: JSON Schema cannot say which characters nobody sees.
    const enumerated = [...new Set(JSON.stringify(document).match(/"enum":\[[^\]]*\]/g))]
      .flatMap((text): unknown[] => JSON.parse(text.slice(7)))
      .filter((one) => one !== '\t')
    const numbers = [0, 1, -1, 0.1, 0.01, 1.005, 250.55, 1e8, 1e8 + 1, 1e12, 2e12, 17, 2 ** 53]
    const value = fc.constantFrom(
      ...emails,
      ...amounts,
      ...moments,
      ...words,
      ...enumerated,
      ...numbers,
      true,
      false,
      null,
      {},
      [],
      undefined,
    )

    /** Rules that JSON Schema cannot express: between two fields, and of a code whose digits were made plain. */
    const beyondSchema = ['confirmPassword', 'banReason', 'adminNotes', 'state', 'codes', 'code', 'evidence', 'money']
    const serverTakes = (schema: z.ZodType, sent: object): boolean => {
      const { error } = schema.safeParse(sent)
      return (
        error === undefined ||
        error.issues.every(({ code, path }) => code === 'custom' && beyondSchema.includes(String(path[0])))
      )
    }

    it('for every field of every body', () => {
      expect(named.length).toBeGreaterThan(20)
      for (const { name, method, path, body } of allRoutes) {
        if (!(body instanceof z.ZodObject)) continue
        const content = Object.values(document.paths[openApiPath(path)]?.[method]?.requestBody?.content ?? {})[0]
        // An upload's file is described beside its fields.
        const [fields] = content?.schema.allOf ?? [content?.schema]
        const described = validator(fields)
        const good = goodBodies[name] ?? {}
        if (goodBodies[name])
          expect([name, described.safeParse(good).success, body.safeParse(good).success]).toEqual([name, true, true])
        for (const field of Object.keys(body.shape))
          fc.assert(
            fc.property(value, (one) => {
              const sent = { ...good, [field]: one }
              const plain: object = JSON.parse(JSON.stringify(sent))
              expect([name, plain, described.safeParse(plain).success]).toEqual([name, plain, serverTakes(body, plain)])
            }),
            { numRuns: 150 },
          )
      }
    })

    it('for every parameter of every query', () => {
      const text = value.filter((one) => typeof one === 'string')
      for (const { name, method, path, query } of allRoutes) {
        if (!query) continue
        for (const parameter of document.paths[openApiPath(path)]?.[method]?.parameters.filter(
          (one) => one.in === 'query',
        ) ?? []) {
          const described = validator(parameter.schema)
          fc.assert(
            fc.property(text, (one) => {
              const isTaken = query.safeParse({ [parameter.name]: one }).success
              expect([name, parameter.name, one, described.safeParse(one).success]).toEqual([
                name,
                parameter.name,
                one,
                isTaken,
              ])
            }),
            { numRuns: 150 },
          )
        }
      }
    })

    const registered = {
      fullName: 'Ada Byron',
      email: 'ada@example.com',
      password: 'correct horse',
      privacyPolicyAgreed: true,
      country: 'uk',
      city: 'London',
      street: 'Street',
      houseNumber: '1',
    }
    const credential = { id: 'aWQ', rawId: 'aWQ', type: 'public-key' }
    const created = { ...credential, response: { clientDataJSON: 'e30', attestationObject: 'oA' } }
    const signed = { ...credential, response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'MA' } }
    const goodBodies: Readonly<Record<string, object>> = {
      register: registered,
      shareCertificate: { showsName: true },
      login: { email: 'ada@example.com', password: 'correct horse' },
      forgotPassword: { email: 'ada@example.com' },
      resetPassword: { token: 'a token', password: 'correct horse' },
      revertEmail: { token: 'a token' },
      changePassword: { currentPassword: 'old password', newPassword: 'new password', confirmPassword: 'new password' },
      requestPayout: { amount: '250.00', paymentMethod: 'bank' },
      adminLogin: { accessKey: 'a key' },
      createUser: { fullName: 'Ada Byron', email: 'ada@example.com' },
      addStaffMember: { name: 'Dana', role: 'support' },
      banUser: { banned: false },
      decidePayout: { status: 'approved' },
      issueCertificate: { name: 'Phase 1', userId: 'u1' },
      makeBatch: { format: 'csv', payouts: ['u1-a1-p1'], currency: 'USD' },
      changeFirmAccount: { name: 'Firm', iban: 'NL91 ABNA', bic: 'ABNANL2A' },
      recordAnswers: { format: 'csv' },
      passkeySignIn: { passkey: signed },
      addOwnPasskey: { name: 'Phone', passkey: created },
      addStaffPasskey: { name: 'Phone', passkey: created },
      renameOwnPasskey: { name: 'Phone' },
      renameStaffPasskey: { name: 'Phone' },
      turnOnOwnAuthenticator: { setup: 'a token', code: '123456' },
      turnOnStaffAuthenticator: { setup: 'a token', code: '123456' },
    }
  })

  it('documents positions, idempotency keys and pagination', () => {
    const payout = document.paths['/api/user/payouts']
    expect(payout?.['post']?.parameters).toMatchObject([
      { name: 'account', in: 'query', required: false },
      { name: 'Idempotency-Key', in: 'header', required: false },
    ])
    expect(payout?.['post']?.responses['201']?.headers).toHaveProperty('X-Proofdesk-Position')
    expect(payout?.['get']?.parameters).toMatchObject([
      { name: 'account', in: 'query' },
      { name: 'X-Proofdesk-Position', in: 'header' },
    ])
    const users = document.paths['/api/admin/users']?.['get']
    expect(users?.parameters.map(({ name }) => name)).toEqual([
      'search',
      'status',
      'sort',
      'limit',
      'cursor',
      'banned',
      'payoutEnabled',
      'phase',
      'X-Proofdesk-Position',
    ])
    expect(Object.keys(users?.responses['200']?.headers ?? {})).toEqual([
      'X-Proofdesk-Shown',
      'X-Total-Count',
      'X-Total-Count-Relation',
      'Link',
    ])
  })
})
