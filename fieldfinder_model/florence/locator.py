"""The Florence-2 locator: finds the places of a target on a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from PIL import Image as PillowImage

from ...envs.core.locators import Detection
from ...envs.core.painting import Image
from .box_tokens import places, prompt
from .loading import load_florence, needed, pixels, prompt_tokens

Decoding = Literal["beam", "greedy"]

_MAX_ANSWER = 8
"""Tokens: a right answer has four locations and two tokens around them; two more show that an answer is too long."""


class FlorenceLocator:
    """Finds fields with a fine-tuned Florence-2.

    Args:
        path: its folder, as ``finetune`` writes ``best/``.
        decoding: ``"beam"``: beam search, which may find several places; ``"greedy"``: the most likely token each time,
            one place at most.
        num_beams: the width of the beam search.
        batch_size: the number of targets that go through the model at once.
        device: torch's name of the device; ``None``: a GPU if there is one.

    Raises:
        ValueError: if torch or transformers is missing, the folder holds no Florence-2, or another argument is wrong.
    """

    def __init__(
        self,
        path: Path | str,
        decoding: Decoding = "beam",
        num_beams: int = 3,
        batch_size: int = 16,
        device: str | None = None,
    ) -> None:
        if decoding not in get_args(Decoding):
            raise ValueError(f"decoding is {decoding!r}; it may be {' or '.join(map(repr, get_args(Decoding)))}")
        if num_beams < 1 or batch_size < 1:
            raise ValueError(f"num_beams is {num_beams} and batch_size {batch_size}; each must be at least 1")
        self._model, self._processor = load_florence(Path(path), device)
        self._model.eval()
        self._torch = needed("torch")
        self._beams = num_beams if decoding == "beam" else 1
        self._batch_size = batch_size

    def locate(self, page: Image, target: str) -> Sequence[Detection]:
        """Places on ``page``, uint8 (height, width, 3), the most likely first.

        A score is the model's total probability of the answers that give this place. Answers that are no box give none.

        Raises:
            ValueError: if the page is no such picture, or the target blank.
        """
        return self.locate_all(page, [target])[0]

    def locate_all(self, page: Image, targets: Sequence[str]) -> list[Sequence[Detection]]:
        """The places of each target; the page goes through the vision tower only once."""
        if page.dtype != np.uint8 or page.ndim != 3 or page.shape[2] != 3 or not page.size:
            raise ValueError(f"a page is uint8 (height, width, 3); this one is {page.dtype} {page.shape}")
        prompts = [prompt(target) for target in targets]
        if not prompts:
            return []
        height, width = page.shape[:2]
        with self._torch.inference_mode():
            features = self._features(page)
            groups = [prompts[at : at + self._batch_size] for at in range(0, len(prompts), self._batch_size)]
            answers = [answer for group in groups for answer in self._answers(features, group)]
        return [places(decoded, width, height) for decoded in answers]

    def _features(self, page: Image) -> Any:
        """The page as embeddings of the model: (1, tokens of a picture, d)."""
        values = pixels(self._processor, [PillowImage.fromarray(page)]).to(self._model.device)
        return self._model.get_image_features(values).pooler_output

    def _answers(self, features: Any, prompts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """The answers to each prompt, and their log probabilities."""
        read, mask = self._encode(features, prompts)
        outputs = needed("transformers.modeling_outputs").BaseModelOutput
        tokens = self._model.generate(
            encoder_outputs=outputs(last_hidden_state=read),
            attention_mask=mask,
            do_sample=False,
            max_new_tokens=_MAX_ANSWER,
            # A box may have one number thrice.
            no_repeat_ngram_size=0,
            num_beams=self._beams,
            num_return_sequences=self._beams,
            **({"length_penalty": 0.0} if self._beams > 1 else {}),
        )
        several = outputs(last_hidden_state=read.repeat_interleave(self._beams, 0))
        logs = self._log_probabilities(several, mask.repeat_interleave(self._beams, 0), tokens)
        texts = self._processor.tokenizer.batch_decode(tokens, skip_special_tokens=False)
        decoded = list(zip(texts, logs, strict=True))
        return [decoded[at : at + self._beams] for at in range(0, len(decoded), self._beams)]

    def _encode(self, features: Any, prompts: Sequence[str]) -> tuple[Any, Any]:
        """The encoder's output for page and prompts, (n, length, d), and its mask."""
        tokens = {name: ids.to(self._model.device) for name, ids in prompt_tokens(self._processor, prompts).items()}
        words = self._model.get_input_embeddings()(tokens["input_ids"])
        picture = (tokens["input_ids"] == self._model.config.image_token_id).unsqueeze(-1)
        words = words.masked_scatter(picture, features.to(words.dtype).repeat(len(prompts), 1, 1))
        mask = tokens["attention_mask"]
        return self._model.get_encoder()(inputs_embeds=words, attention_mask=mask).last_hidden_state, mask

    def _log_probabilities(self, read: Any, mask: Any, tokens: Any) -> list[float]:
        """The log probability of each answer, summed over its tokens.

        The scores of a beam search may be computed in another way.
        """
        logits = self._model(encoder_outputs=read, attention_mask=mask, decoder_input_ids=tokens[:, :-1]).logits
        logs = logits.float().log_softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0]
        padding = tokens[:, 1:] == self._model.config.text_config.pad_token_id
        decoded: list[float] = logs.masked_fill(padding, 0).sum(-1).tolist()
        return decoded
