import type { JsonObject } from "../../core/json.ts";
import type { KubeStatus } from "../../model/kubernetes.ts";
import type { ServedEvent, ServedObject } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { encodeKubeObject, encodeWatchFrame } from "../protobuf/kube-protobuf.ts";
import { partialMetadata } from "../table/render-table.ts";
import type { OutputForm } from "./media-types.ts";
import { bookmarkObject, newFrameCache } from "./watch-frames.ts";
import type { WatchFrames } from "./watch-frames.ts";

/** Protobuf frames are shared like those of JSON. A class for its cache. */
export class ProtobufFrames {
  private readonly envelopes = newFrameCache();

  of(definition: ResourceDefinition, form: OutputForm): WatchFrames {
    const { as, version = "v1" } = form;
    const envelopeOf = (served: ServedObject): Uint8Array => {
      if (as !== undefined) return encode(partialMetadata(served.object, version), "meta.PartialObjectMetadata");
      const known = this.envelopes.get(served);
      if (known !== undefined) return known;
      const envelope = encode(served.object);
      this.envelopes.set(served, envelope);
      return envelope;
    };
    return {
      contentType: "application/vnd.kubernetes.protobuf;stream=watch",
      event: (type: ServedEvent["type"], served) => encodeWatchFrame(type, envelopeOf(served)),
      bookmark: (revision, endsInitialEvents) => {
        const object = bookmarkObject(definition, revision, endsInitialEvents);
        const shaped =
          as === undefined ? encode(object) : encode(partialMetadata(object, version), "meta.PartialObjectMetadata");
        return encodeWatchFrame("BOOKMARK", shaped);
      },
      failure: (status: KubeStatus) => encodeWatchFrame("ERROR", encode(status)),
    };
  }
}

function encode(object: object, as?: string): Uint8Array {
  const bytes = encodeKubeObject(object as JsonObject, as);
  if (bytes === undefined) throw new TypeError("a kind without a protobuf form is watched in protobuf");
  return bytes;
}
