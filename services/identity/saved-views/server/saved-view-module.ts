import type { Commands, Module, Queries } from '#services/framework/module.ts'
import { done } from '#services/framework/http/serve-route.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { savedViewRoutes } from '../saved-view-api.ts'
import { savedViewSubject } from '../saved-view-subject.ts'
import { removeView, renameView, savedViewStreams, saveView } from '../saved-view.ts'

/** Each call is about the views of its caller alone. */
function savedViewCommands({ repositories }: IdentityParts['commands']): Commands<typeof savedViewRoutes> {
  const repository = repositories.of(savedViewStreams)
  return {
    saveView: async ({ caller, body, context }) => {
      const { state, position } = await repository.decide(caller.id, context, (views) => saveView(views, body))
      return { status: 201, body: { id: `v${state.count}` }, position }
    },

    renameView: async ({ caller, params, body, context }) =>
      done((await repository.decide(caller.id, context, (views) => renameView(views, params.id, body.name))).position),

    removeView: async ({ caller, params, context }) =>
      done((await repository.decide(caller.id, context, (views) => removeView(views, params.id))).position),
  }
}

function savedViewQueries({ repositories }: IdentityParts['queries']): Queries<typeof savedViewRoutes> {
  return {
    savedViews: {
      needs: [],
      handle: async ({ caller }) => {
        const { state } = await repositories.of(savedViewStreams).load(caller.id)
        return { body: [...state.views] }
      },
    },
  }
}

export const savedViewModule: Module<typeof savedViewSubject, IdentityParts> = {
  subject: savedViewSubject,
  commands: savedViewCommands,
  queries: savedViewQueries,
  // Nothing in it is about a user: searches are not kept.
  erase: null,
}
