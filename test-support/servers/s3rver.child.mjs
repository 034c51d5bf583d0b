// s3rver on a port, over a folder, for these pairs of name and secret: node s3rver.child.mjs PORT FOLDER NAME:SECRET…
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const S3rver = require('@20minutes/s3rver')
const { DUMMY_ACCOUNT } = require('@20minutes/s3rver/lib/models/account.js')

const [port, folder, ...pairs] = process.argv.slice(2)
DUMMY_ACCOUNT.revokeAccessKey('S3RVER')
for (const pair of pairs) {
  const colon = pair.indexOf(':')
  DUMMY_ACCOUNT.createKeyPair(pair.slice(0, colon), pair.slice(colon + 1))
}

const drafts = join(folder, 'drafts')
mkdirSync(drafts, { recursive: true })
const server = new S3rver({
  port: Number(port),
  address: '127.0.0.1',
  silent: true,
  directory: join(folder, 'buckets'),
  vhostBuckets: false,
})
mkdirSync(join(folder, 'buckets'), { recursive: true })
const { store } = server

// s3rver writes an object as three files, one after the other, where readers see them. S3 shows a new object whole or
// not at all, so it is written elsewhere and then moved while no other call runs.
let turn = Promise.resolve()
const alone = (work) => {
  const done = turn.then(work)
  turn = done.catch(() => {})
  return done
}
store.putObject = async (object) => {
  const draft = join(drafts, randomUUID())
  const [size, md5] = await store.putContent(draft, object.content)
  if (size !== Number(object.metadata['x-amz-decoded-content-length'] ?? object.metadata['content-length']))
    throw new Error('The upload was cut')
  await alone(async () => {
    const path = store.getResourcePath(object.bucket, object.key, 'object')
    await mkdir(dirname(path), { recursive: true })
    await store.putMetadata(object.bucket, object.key, object.metadata, md5)
    await rename(draft, path)
  })
  return { size, md5 }
}
for (const name of ['getObject', 'listObjects', 'deleteObject']) {
  const original = store[name].bind(store)
  store[name] = (...asked) => alone(() => original(...asked))
}

// To answer whether a bucket exists, s3rver lists a thousand of its objects.
const list = store.listObjects
const onlyAsked = new AsyncLocalStorage()
server.middleware.unshift((context, next) => onlyAsked.run(context.method === 'HEAD', next))
store.listObjects = (...asked) =>
  onlyAsked.getStore() ? { objects: [], commonPrefixes: [], isTruncated: false } : list(...asked)

await server.run()
