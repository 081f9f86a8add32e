import { replayRecording } from "../verbs/recorded-steps.ts";

replayRecording(new URL("golden/requests.json", import.meta.url));
replayRecording(new URL("golden/generations.json", import.meta.url));
