import { describe, expect, it } from 'vitest'
import { type OpenApiDocument, openApiDocument } from './openapi.ts'
import { allRoutes, openApiPath } from './routes.ts'

describe('the OpenAPI document', () => {
  const made = openApiDocument({ version: '1.2.3', serverUrl: 'http://localhost:3000' })
  const document: OpenApiDocument = JSON.parse(JSON.stringify(made))

  it('is plain JSON that says which version it describes', () => {
    expect(document).toEqual(made)
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Proofdesk', version: '1.2.3' } })
    expect(document.servers).toEqual([{ url: 'http://localhost:3000' }])
    expect(openApiDocument({ version: '1' })).not.toHaveProperty('servers')
  })

  it('lists every call once, under a name of its own', () => {
    const listed = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    )
    expect(listed.sort()).toEqual(allRoutes.map(({ method, path, name }) => `${method} ${openApiPath(path)} ${name}`).sort())
  })

  it('describes every answer and request of every call', () => {
    for (const { method, path, body, upload, responses } of allRoutes) {
      const operation = document.paths[openApiPath(path)]?.[method]
      expect(Object.keys(operation?.responses ?? {})).toEqual(Object.keys(responses))
      const contentType = upload ? 'multipart/form-data' : 'application/json'
      expect(Object.keys(operation?.requestBody?.content ?? {}), path).toEqual(body ? [contentType] : [])
    }
  })

  it('declares every parameter in a path, and no other', () => {
    for (const [path, operations] of Object.entries(document.paths))
      for (const { parameters } of Object.values(operations)) {
        const inPath = parameters.filter((parameter) => parameter.in === 'path')
        expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
        expect(inPath.every(({ required, description }) => required && description !== undefined)).toBe(true)
      }
  })

  it('has what each reference points to, and refers to everything it has', () => {
    const references = new Set([...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference))
    const named = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect([...references].sort()).toEqual(named.sort())
  })

  it('has a security scheme for everything that a call demands', () => {
    const schemes = Object.keys(document.components.securitySchemes)
    const demanded = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ security }) => security.flatMap((each) => Object.keys(each))),
    )
    expect([...new Set(demanded)].sort()).toEqual(schemes.sort())
  })

  it('carries no schema dialect or definitions of its own inside', () => {
    expect(JSON.stringify(document)).not.toMatch(/"\$(schema|defs)"/)
  })

  it('describes requests as they are sent, not as they are read', () => {
    expect(document.components.schemas['PayoutRequest']).toMatchObject({
      properties: { amount: { type: ['string', 'number'] } },
      required: ['amount', 'paymentMethod'],
    })
    const upload = document.paths['/api/admin/certificates']?.['post']?.requestBody?.content['multipart/form-data']
    expect(upload?.schema).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/CertificateUpload' }, { required: ['certificateFile'] }],
    })
  })

  it('tells how to read your own writes, repeat a payout request and turn pages', () => {
    const payout = document.paths['/api/user/payouts']
    expect(payout?.['post']?.parameters).toMatchObject([{ name: 'Idempotency-Key', in: 'header', required: false }])
    expect(payout?.['post']?.responses['201']?.headers).toHaveProperty('X-Proofdesk-Position')
    expect(payout?.['get']?.parameters).toMatchObject([{ name: 'X-Proofdesk-Position', in: 'header' }])
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
    expect(Object.keys(users?.responses['200']?.headers ?? {})).toEqual(['X-Proofdesk-Shown', 'X-Total-Count', 'X-Total-Count-Relation', 'Link'])
  })
})
