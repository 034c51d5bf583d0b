import type { Request } from 'express'
import type { AggregateRepository, Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { clientNetwork } from '#services/framework/http/client-network.ts'
import type { ProgramCaller } from '#services/framework/http/caller.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import type { Throttle } from '#services/framework/http/throttle.ts'
import { hashesEqual, type Secrets } from '#services/process/keys/derived-secrets.ts'
import { type ApiKeyId, apiKeyId } from '#services/framework/ids.ts'
import { openedBy, type ApiKey, type ApiKeyEvent, apiKeyStreams } from '../api-key.ts'

/** A key's id: the beginning of its keyed hash, so that a key finds its own stream. */
export function apiKeyIdOf(keyHash: string): ApiKeyId {
  return apiKeyId.parse(keyHash.slice(0, 32))
}

/** The key in `Authorization: Bearer`; undefined where a request carries none. */
export function bearerOf(request: Pick<Request, 'get'>): string | undefined {
  return /^bearer *(.*)$/i.exec(request.get('authorization') ?? '')?.[1]
}

/** Programs call with a key of their own: no session, no cookie. */
export class ProgramAccess {
  private readonly keys: AggregateRepository<ApiKey, ApiKeyEvent>

  constructor(
    repositories: Repositories,
    private readonly secrets: Pick<Secrets, 'apiKeyHash'>,
    private readonly throttle: Pick<Throttle, 'attempt'>,
    private readonly now: () => number,
  ) {
    this.keys = repositories.of(apiKeyStreams)
  }

  /**
   * The program whose key this is.
   *
   * @param scope What it has to be allowed to do; undefined for a call that no key opens.
   * @throws {HttpError} 401 for a key that is unknown, revoked or expired; 403 for one of another scope; 429 for too
   *   many calls, or too many wrong keys of one network
   */
  async callerOf(key: string, scope: string | undefined, request: Request): Promise<ProgramCaller> {
    const keyHash = this.secrets.apiKeyHash(key)
    const id = apiKeyIdOf(keyHash)
    const { state } = await this.keys.load(id)
    const opened = openedBy(state, (hash) => hashesEqual(hash, keyHash), this.now())
    if (!opened) {
      // Wrong ones only: who guesses must not lock out a program of the same network.
      await this.throttle.attempt(['apiKeyNetwork', clientNetwork(request)])
      throw new HttpError(401, { message: 'This key is not valid' })
    }
    if (!opened.scopes.some((each) => each === scope))
      throw new HttpError(403, { message: 'This key does not allow this' })
    await this.throttle.attempt(['apiKeyCalls', id])
    return { kind: 'program', id, label: opened.name }
  }
}
