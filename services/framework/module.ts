import type { Request, Response } from 'express'
import type { Route } from '#services/framework/api/route.ts'
import type { Call, Reply } from '#services/framework/http/serve-route.ts'
import type { DecidedEvent } from '#services/event-sourcing/aggregate-repository.ts'
import type { DomainEvent, EventOf } from '#services/event-sourcing/event-definitions.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import type { MailContext, WrittenMail } from '#services/framework/mails/mail-context.ts'
import type { Position } from '#infra/event-store/event-store.ts'
import type { UserId } from './ids.ts'
import type { Parts } from './parts.ts'
import type { RouteTable, Subject } from './subject.ts'
import type { MailedTypeOf } from './event-description.ts'

/**
 * The server's half of a subject, with the parts that its context needs, and the events that its policies react to
 * where they are not its own.
 */
export interface CompleteModule<
  S extends Subject = Subject,
  Needed extends Parts = Parts,
  Reacted extends DomainEvent = EventOf<S['events']>,
> {
  readonly subject: S
  /** A handler of every call that changes something. */
  readonly commands: (parts: Needed['commands']) => Commands<S['routes']>
  /** A handler of every call that reads. */
  readonly queries: (parts: Needed['queries']) => Queries<S['routes']>
  readonly readModels: readonly Projection[]
  /** The text of the mail about every event whose description has `mail: true`. */
  readonly mails: Mails<EventOf<S['events']>, S['descriptions']>
  /** The policies react to events in other streams and stores. */
  readonly policies: Policies<Reacted, Needed>
  /** Removes what the subject holds of a deleted user; null where that is nothing. */
  readonly erase: Erase<Needed> | null
}

/** A module as it is declared: what would be empty may be left out. Whether something is erased is always said. */
export type Module<
  S extends Subject,
  Needed extends Parts,
  Reacted extends DomainEvent = EventOf<S['events']>,
  Complete extends CompleteModule<S, Needed, Reacted> = CompleteModule<S, Needed, Reacted>,
> = Pick<Complete, 'subject' | 'erase'> &
  Partial<Pick<Complete, 'readModels' | 'policies'>> &
  Unless<Commands<S['routes']>, Pick<Complete, 'commands'>> &
  Unless<Queries<S['routes']>, Pick<Complete, 'queries'>> &
  Unless<Complete['mails'], Pick<Complete, 'mails'>>
type Unless<Table, Field> = object extends Table ? Partial<Field> : Field

/** Handles a call. A method, so that a list can hold handlers of different calls. */
type Handle<ACall, Answer> = { handle(call: ACall): Promise<Answer> }['handle']

/** A change: its handler, with what receives its upload where the call has one. */
export type Command<R extends Route> = Handle<Call<R>, Reply> | Upload<Call<R>>

interface Upload<ACall> {
  readonly receive: (request: Request, response: Response) => Promise<void>
  readonly handle: Handle<ACall, Reply>
}

/** A read: the read models that must have reached the request's position, and its handler. */
export type Query<R extends Route> = Read<Call<R>>

interface Read<ACall> {
  readonly needs: readonly Projection[]
  readonly handle: Handle<ACall, Reply | undefined>
}

export type Commands<Routes extends RouteTable> = {
  readonly [Name in keyof Routes as Routes[Name]['method'] extends 'get' ? never : Name]: Command<Routes[Name]>
}

export type Queries<Routes extends RouteTable> = {
  readonly [Name in keyof Routes as 'get' extends Routes[Name]['method'] ? Name : never]: Query<Routes[Name]>
}

/** The parts that every call has. */
export type AnyCall = Pick<Call<Route>, 'context' | 'request' | 'response'>

/** The text of the mail about an event; undefined when the mail has become pointless. */
type WriteMail<Event extends DomainEvent, Context> = {
  write(
    event: Event & Pick<RecordedEvent, 'position' | 'at' | 'stream'>,
    context: Context,
  ): WrittenMail | Promise<WrittenMail>
}['write']

/** The mails about the events whose description says so. Their context may know more than that of all mails. */
export type Mails<Event extends DomainEvent, Descriptions, Context extends MailContext = MailContext> = {
  readonly [Type in MailedTypeOf<Descriptions>]: WriteMail<Extract<Event, { type: Type }>, Context>
}

/**
 * A policy reacts to an event. It runs twice, at once by `react` and in the worker: every step may find its work done.
 *
 * @returns the position that it reached in the log, if it appended something.
 */
type Policy<Event extends DomainEvent, Needed extends Parts> = {
  run(event: DecidedEvent<Event>, context: Context, parts: Needed['policies']): Promise<Position | undefined | void>
}['run']

/** The policies of some of these events. */
export type Policies<Event extends DomainEvent, Needed extends Parts = Parts> = {
  readonly [Type in Event['type']]?: Policy<Extract<Event, { type: Type }>, Needed>
}

/**
 * Removes what is held of a deleted user. Every step may be repeated.
 *
 * @returns the position that it reached in the log, if it appended something.
 */
export type Erase<Needed extends Parts = Parts> = (
  userId: UserId,
  context: Context,
  parts: Needed['policies'],
) => Promise<Position | undefined>
