import { z } from 'zod'
import { PREFIX, type Redis, script, writeSomething } from '#infra/redis/redis-connection.ts'
import type { ListedSession, SessionStore } from './session-store.ts'

const PART = 'session store'

/** Longer than any session may live: each expires even without a purge. In seconds. */
const MAX_LIFETIME = 90 * 24 * 60 * 60
/** Sessions that one step of a purge removes, so that other commands do not wait long. */
const PURGED_AT_ONCE = 500

/**
 * Keys: a hash for each session, the set of each subject's sessions, its suspension, and two indexes by time for the
 * purge. Scripts change them together, atomically. The scripts use keys that they have read, which a single server
 * (with or without replicas) allows and a Redis Cluster does not.
 */
const LUA_KEYS = `
local prefix = KEYS[1]
local function sessionKey(id) return prefix .. ':session:' .. id end
local function subjectKey(kind, subject) return prefix .. ':sessions:' .. kind .. ':' .. subject end
local function suspensionKey(kind, subject) return prefix .. ':suspension:' .. kind .. ':' .. subject end
local byCreation = prefix .. ':sessions-by-creation'
local byUse = prefix .. ':sessions-by-use'
local function forget(id)
  local of = redis.call('HMGET', sessionKey(id), 'kind', 'subject')
  if of[1] then redis.call('SREM', subjectKey(of[1], of[2]), id) end
  redis.call('DEL', sessionKey(id))
  redis.call('ZREM', byCreation, id)
  redis.call('ZREM', byUse, id)
end
`

const create = script(`${LUA_KEYS}
local id, kind, subject, createdAt, lastSeenAt, atMost, browser, address, mac = unpack(ARGV)
if redis.call('EXISTS', sessionKey(id)) == 1 then return end
redis.call('HSET', sessionKey(id), 'kind', kind, 'subject', subject, 'createdAt', createdAt, 'lastSeenAt', lastSeenAt, 'browser', browser, 'address', address, 'mac', mac)
redis.call('EXPIRE', sessionKey(id), atMost)
redis.call('SADD', subjectKey(kind, subject), id)
redis.call('EXPIRE', subjectKey(kind, subject), atMost)
redis.call('ZADD', byCreation, createdAt, id)
redis.call('ZADD', byUse, lastSeenAt, id)`)

/** The sessions of these ids that there are, or of all ids of a subject. */
const read = script(`${LUA_KEYS}
local kind, subject, ids = unpack(ARGV)
local sessions = {}
for _, id in ipairs(ids and cjson.decode(ids) or redis.call('SMEMBERS', subjectKey(kind, subject))) do
  local found = redis.call('HMGET', sessionKey(id), 'kind', 'subject', 'createdAt', 'lastSeenAt', 'mac', 'browser', 'address')
  if found[1] then table.insert(sessions, {id, redis.call('GET', suspensionKey(found[1], found[2])), unpack(found)}) end
end
return sessions`)

const touch = script(`${LUA_KEYS}
local id, at, mac = unpack(ARGV)
local last = redis.call('HGET', sessionKey(id), 'lastSeenAt')
if not last or tonumber(last) >= tonumber(at) then return end
redis.call('HSET', sessionKey(id), 'lastSeenAt', at, 'mac', mac)
redis.call('ZADD', byUse, at, id)`)

const end = script(`${LUA_KEYS}
forget(ARGV[1])`)

const endAll = script(`${LUA_KEYS}
local kind, subject, spared = unpack(ARGV)
for _, id in ipairs(redis.call('SMEMBERS', subjectKey(kind, subject))) do
  if id ~= spared then
    forget(id)
    redis.call('SREM', subjectKey(kind, subject), id)
  end
end`)

const suspend = script(`${LUA_KEYS}
redis.call('SET', suspensionKey(ARGV[1], ARGV[2]), ARGV[3])`)

const lift = script(`${LUA_KEYS}
redis.call('DEL', suspensionKey(ARGV[1], ARGV[2]))`)

const purge = script(`${LUA_KEYS}
local createdBefore, lastSeenBefore, atOnce = unpack(ARGV)
local old = redis.call('ZRANGEBYSCORE', byCreation, '-inf', '(' .. createdBefore, 'LIMIT', 0, atOnce)
if #old == 0 then old = redis.call('ZRANGEBYSCORE', byUse, '-inf', '(' .. lastSeenBefore, 'LIMIT', 0, atOnce) end
for _, id in ipairs(old) do forget(id) end
return #old`)

const time = z.coerce.number()
const sessions = z.array(
  z
    .tuple([
      z.string(),
      z.string().nullable(),
      z.enum(['trader', 'admin']),
      z.string(),
      time,
      time,
      z.string(),
      z.string(),
      z.string(),
    ])
    .transform(([idHash, reason, kind, subject, createdAt, lastSeenAt, mac, browser, address]): ListedSession => {
      const suspension = reason === null ? null : { reason }
      return { idHash, kind, subject, createdAt, lastSeenAt, suspension, mac, client: { browser, address } }
    }),
)

/**
 * Sessions in Redis. If it loses its data, everyone signs in again. It must not return with older data, which would
 * reopen ended sessions: see docs/decisions/013.
 *
 * @param prefix The prefix of every key.
 */
export function createRedisSessionStore(redis: Redis, prefix = PREFIX): SessionStore {
  let closed = false
  const run: Redis['run'] = (part, commands) =>
    redis.run(part, (client) => (closed ? Promise.reject(new Error('It is closed')) : commands(client)))
  const call = ({ run: runScript }: ReturnType<typeof script>, ...args: readonly (string | number)[]) =>
    run(PART, (client) => runScript(client, [prefix], args))
  const change = async (...parameters: Parameters<typeof call>): Promise<void> => void (await call(...parameters))
  const findMany = async (idHashes: readonly string[]) =>
    idHashes.length === 0
      ? []
      : sessions
          .parse(await call(read, '', '', JSON.stringify(idHashes)))
          .map(({ client: _client, ...session }) => session)

  return {
    create: ({ idHash, kind, subject, createdAt, lastSeenAt, mac }, { browser, address }) =>
      change(create, idHash, kind, subject, createdAt, lastSeenAt, MAX_LIFETIME, browser, address, mac),

    find: async (idHash) => (await findMany([idHash]))[0],
    findMany,
    list: async (kind, subject) => sessions.parse(await call(read, kind, subject)),

    touch: (idHash, at, mac) => change(touch, idHash, at, mac),
    end: (idHash) => change(end, idHash),
    endAll: (kind, subject, spared = '') => change(endAll, kind, subject, spared),
    suspend: (kind, subject, suspension) =>
      suspension ? change(suspend, kind, subject, suspension.reason) : change(lift, kind, subject),

    async purge(createdBefore, lastSeenBefore) {
      while ((await call(purge, createdBefore, lastSeenBefore, PURGED_AT_ONCE)) !== 0) continue
    },

    ready: () => run(PART, writeSomething),
    close: async () => {
      closed = true
    },
  }
}
